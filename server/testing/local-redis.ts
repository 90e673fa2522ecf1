import { nowMs } from '../core/clock.ts'

/** A minimal Redis server on this machine. It supports only the commands that rate limits use. */
export interface LocalRedis {
  readonly url: string
  readonly hashes: Map<string, Map<string, number>>
  /** Closes every connection and accepts no new ones until `reopen`. */
  close(): void
  reopen(): void
}

export function openLocalRedis(): LocalRedis {
  const hashes: LocalRedis['hashes'] = new Map()
  const expiresAtMs = new Map<string, number>()
  const respond = (command: readonly string[]): string => {
    const [name = '', key = '', value] = command
    if ((expiresAtMs.get(key) ?? nowMs()) < nowMs()) {
      hashes.delete(key)
      expiresAtMs.delete(key)
    }
    if (name.toUpperCase() === 'PEXPIRE') expiresAtMs.set(key, nowMs() + Number(value))
    return respondTo(command, hashes)
  }
  let server = listen(0, respond)
  const { port } = server
  return {
    url: `redis://127.0.0.1:${port}`,
    hashes,
    close: () => server.stop(true),
    reopen() {
      server = listen(port, respond)
    },
  }
}

/** A node of a cluster whose keys are being moved: it claims all of them, and names the node that has one when it is asked for it. */
export function openMovingRedis(owner: LocalRedis): Pick<LocalRedis, 'url' | 'close'> {
  const respond = ([name = '', ...values]: readonly string[]): string => {
    if (name.toUpperCase() === 'INFO') return bulk('# Cluster\r\ncluster_enabled:1\r\n')
    if (name.toUpperCase() === 'CLUSTER')
      return `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n${bulk('127.0.0.1')}:${server.port}\r\n`
    return name.toUpperCase() === 'HELLO'
      ? respondTo([name, ...values], new Map())
      : `-ASK 0 ${new URL(owner.url).host}\r\n`
  }
  const server = listen(0, respond)
  return { url: `redis://127.0.0.1:${server.port}`, close: () => server.stop(true) }
}

const listen = (port: number, respond: (command: readonly string[]) => string) =>
  Bun.listen<{ rest: string }>({
    hostname: '127.0.0.1',
    port,
    socket: {
      open(socket) {
        socket.data = { rest: '' }
      },
      data(socket, chunk) {
        const { commands, rest } = parseCommands(socket.data.rest + chunk.toString())
        socket.data.rest = rest
        for (const command of commands) socket.write(respond(command))
      },
    },
  })

/** Parses the complete commands (arrays of bulk strings) in a text. Returns the rest, an incomplete command, too. */
function parseCommands(text: string): { commands: string[][]; rest: string } {
  const commands: string[][] = []
  let rest = text
  for (;;) {
    const lines = rest.split('\r\n')
    const parts = Number(lines[0]?.slice(1)) * 2
    if (lines[0] === '' || lines.length < parts + 2) return { commands, rest }
    commands.push(lines.slice(1, parts + 1).filter((_, index) => index % 2 === 1))
    rest = lines.slice(parts + 1).join('\r\n')
  }
}

function respondTo(
  [name = '', key = '', ...values]: readonly string[],
  hashes: LocalRedis['hashes'],
): string {
  const hash = hashes.get(key) ?? new Map<string, number>()
  const [field = '', increment = ''] = values
  switch (name.toUpperCase()) {
    case 'HINCRBY': {
      const count = (hash.get(field) ?? 0) + Number(increment)
      hashes.set(key, hash.set(field, count))
      return `:${count}\r\n`
    }
    case 'HSETNX': {
      if (hash.has(field)) return ':0\r\n'
      hashes.set(key, hash.set(field, Number(increment)))
      return ':1\r\n'
    }
    case 'HGETALL':
      return `%${hash.size}\r\n${[...hash].map(pair => pair.map(part => bulk(String(part))).join('')).join('')}`
    case 'HDEL':
      return `:${values.filter(value => hash.delete(value)).length}\r\n`
    case 'PEXPIRE':
      return `:${hashes.has(key) ? 1 : 0}\r\n`
    case 'ASKING':
      return '+OK\r\n'
    case 'HELLO':
      return `%1\r\n${bulk('proto')}:3\r\n`
    default:
      return `-ERR unknown command '${name}'\r\n`
  }
}

const bulk = (text: string): string => `$${text.length}\r\n${text}\r\n`
