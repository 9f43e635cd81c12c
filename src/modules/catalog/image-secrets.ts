import type { SecretBox } from '../../operations/secret-box.ts';

/** The purpose under which an image's secret OS parameters are encrypted. */
const IMAGE_SECRETS = 'image-secrets';

/** @returns null when there are none */
export function encryptSecrets(secrets: SecretBox, values: Readonly<Record<string, string>>): string | null {
  return Object.keys(values).length === 0 ? null : secrets.encrypt(IMAGE_SECRETS, JSON.stringify(values));
}

export function decryptSecrets(secrets: SecretBox, cipher: string | null): Record<string, string> {
  return cipher === null ? {} : (JSON.parse(secrets.decrypt(IMAGE_SECRETS, cipher)) as Record<string, string>);
}
