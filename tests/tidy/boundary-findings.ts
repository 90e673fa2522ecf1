import ts from 'typescript'
import { type Finding, isServer, isTest, nodesOf, placeOf, type Source } from './source.ts'

interface Boundary {
  /** Members of the runtime's global object, e.g. `Bun.connect`. */
  readonly members: readonly string[]
  /** The only files that may use them. */
  readonly only: RegExp
  readonly reason: string
}

const boundaries: readonly Boundary[] = [
  {
    members: ['Bun.env', 'process.argv', 'process.exit'],
    only: /^server\/(main\.ts$|config\/|db\/readers\/reader-process\.ts$)|^(server|features\/[^/]+\/server)\/cli\/|^features\/doctor\//,
    reason: 'only config.ts reads the environment and only programs (main.ts, …-process.ts) end the process',
  },
  {
    members: ['Bun.connect', 'Bun.udpSocket', 'Bun.fetch', 'Bun.s3', 'Bun.S3Client'],
    only: /^server\/http-client\/((send|safe-fetch)|http1\/http-connection)\.ts$|^(server|features\/[^/]+\/server)\/cli\/|^features\/doctor\//,
    reason: 'only http-client/send.ts opens connections',
  },
  {
    members: ['Bun.spawn', 'Bun.spawnSync', 'Bun.$'],
    only: /^(server|features\/[^/]+\/server)\/cli\/|^server\/db\/readers\/sqlite-readers\.ts$|^features\/backups\/server\/backups\.ts$/,
    reason: 'only cli/supervise.ts, db/readers and backups start processes',
  },
  {
    members: ['Bun.redis', 'Bun.RedisClient'],
    only: /^server\/integrations\/redis-connection\.ts$/,
    reason: 'only integrations/redis-connection.ts speaks to Redis',
  },
  { members: ['Bun.sql', 'Bun.SQL', 'Bun.postgres'], only: /^server\/db\//, reason: 'only db holds SQL' },
  {
    members: ['Bun.serve', 'Bun.listen'],
    only: /^server\/(main\.ts$|http\/|cli\/|lab\/)|^features\/([^/]+\/server\/cli|doctor)\//,
    reason: 'only http listens',
  },
]

/** Uses of the environment, the network, SQL or listening sockets outside the files that may use them. */
export function boundaryFindings(source: Source): readonly Finding[] {
  if (isTest(source) || !isServer(source)) return []
  return nodesOf(source, ts.isPropertyAccessExpression).flatMap(node => {
    const boundary = boundaries.find(({ members }) => members.includes(node.getText()))
    if (!boundary || boundary.only.test(source.path)) return []
    return [`${placeOf(source, node.getStart())} uses ${node.getText()}; ${boundary.reason}`]
  })
}
