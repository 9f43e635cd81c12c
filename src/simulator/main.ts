import { parseArgs } from 'node:util';
import type { FaultSettings } from './faults.ts';
import { type SimulatorOptions, startSimulator } from './simulator.ts';

const USAGE = `simulator [options]            each also as an environment variable, SIMULATOR_<NAME>
  --port N           RAPI port on 127.0.0.1 (default: any, kept in the data folder)
  --data-dir PATH    keep the cluster here across restarts
  --name NAME        cluster name (default cluster.sim.test)
  --username NAME    (default simulator)
  --password TEXT    (default simulator-password)
  --speed N          1: a build takes about 8 s (default); larger is faster
  --nodes N          (default 3)
  --groups A,B       node groups (default default)
  --disk-templates A,B   (default file,diskless)
  --hypervisor KIND  fake (default) or kvm
  --control-port N   control endpoint for tests, on loopback (0: any)
  --faults JSON      faults from the start
  --json             print one line of JSON instead of text`;

const NAMES = [
  'port',
  'data-dir',
  'name',
  'username',
  'password',
  'speed',
  'nodes',
  'groups',
  'disk-templates',
  'hypervisor',
  'control-port',
  'faults',
] as const;

/** A flag, or else its environment variable. */
function setting(
  flags: Record<string, string | boolean | undefined>,
  name: (typeof NAMES)[number],
): string | undefined {
  const flag = flags[name];
  const variable = process.env[`SIMULATOR_${name.toUpperCase().replaceAll('-', '_')}`];
  return typeof flag === 'string' ? flag : variable === '' ? undefined : variable;
}

function readOptions(flags: Record<string, string | boolean | undefined>): SimulatorOptions {
  const text = (name: (typeof NAMES)[number]): string | undefined => setting(flags, name);
  const number = (name: (typeof NAMES)[number]): number | undefined => {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!Number.isFinite(Number(value))) throw new Error(`--${name} is not a number: ${value}`);
    return Number(value);
  };
  const names = (name: (typeof NAMES)[number]): string[] | undefined => text(name)?.split(',');
  const hypervisor = text('hypervisor');
  if (hypervisor !== undefined && hypervisor !== 'fake' && hypervisor !== 'kvm') {
    throw new Error(`--hypervisor is neither fake nor kvm: ${hypervisor}`);
  }
  const faults = text('faults');
  const options = {
    port: number('port'),
    dataDir: text('data-dir'),
    name: text('name'),
    username: text('username'),
    password: text('password'),
    speed: number('speed'),
    nodes: number('nodes'),
    groups: names('groups'),
    diskTemplates: names('disk-templates'),
    hypervisor,
    controlPort: number('control-port'),
    faults: faults === undefined ? undefined : (JSON.parse(faults) as FaultSettings),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as SimulatorOptions;
}

const { values } = parseArgs({
  options: {
    ...Object.fromEntries(NAMES.map((name) => [name, { type: 'string' as const }])),
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

if (values.help === true) {
  console.log(USAGE);
} else {
  const simulator = await startSimulator(readOptions(values));
  const { url, username, password, fingerprint, name, controlUrl } = simulator;
  const description = { name, url, username, password, fingerprint, controlUrl };
  if (values.json === true) console.log(JSON.stringify(description));
  else {
    for (const [key, value] of Object.entries(description))
      if (value !== null) console.log(`${key.padEnd(12)}${value}`);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void simulator.close());
}
