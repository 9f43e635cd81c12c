// Reads `lab describe` on stdin and prints the target the suite expects.
import { text } from 'node:stream/consumers';

const lab = JSON.parse(await text(process.stdin));
console.log(
  JSON.stringify({
    url: lab.endpoint,
    username: lab.username,
    password: lab.password,
    fingerprint: lab.fingerprint256,
    osName: 'labimage+default',
    failingOsName: 'labfail',
    diskTemplate: 'file',
    bridge: lab.bridge,
    callbackHost: lab.hostAddress,
  }),
);
