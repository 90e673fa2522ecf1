import { Database } from 'bun:sqlite'
import type { ReservedSQL } from 'bun'
import {
  CRASH_PLAN_VARIABLE,
  type CrashPlan,
  type DatabaseTrigger,
  type UpstreamTrigger,
} from './crash-plan.ts'

/**
 * Preloaded into the gateway's process. Patches the runtime's database and socket clients and kills the process when the
 * trigger has occurred `count` times. The gateway's own code is unchanged. A SIGKILL that a process sends to itself takes
 * effect before `process.kill` returns.
 */
function installCrashHook({ trigger, count, isArmedFromStart = false }: CrashPlan): void {
  let remaining = count
  let isArmed = isArmedFromStart
  const onTrigger = (): void => {
    if (isArmed) remaining -= 1
    if (remaining === 0) process.kill(process.pid, 'SIGKILL')
  }
  onServing(() => {
    isArmed = true
  })
  if (trigger.kind === 'database') observeDatabase(trigger, onTrigger)
  else observeUpstream(trigger, onTrigger)
}

function onServing(arm: () => void): void {
  const serve = Bun.serve
  Object.defineProperty(Bun, 'serve', {
    value(...given: Parameters<typeof serve>) {
      arm()
      return Reflect.apply(serve, Bun, given)
    },
  })
}

function observeDatabase(trigger: DatabaseTrigger, onTrigger: () => void): void {
  observeSqlite(() => createObserver(trigger, onTrigger))
  observePostgres(() => createObserver(trigger, onTrigger))
}

interface StatementObserver {
  before(statement: string): void
  after(statement: string): void
}

/** Follows the statements of one connection since the begin of its transaction. */
function createObserver(
  { when, statement, within = '' }: DatabaseTrigger,
  onTrigger: () => void,
): StatementObserver {
  let transaction: string[] = []
  const matches = (text: string): boolean =>
    text.startsWith(statement) && transaction.some(earlier => earlier.startsWith(within))
  return {
    before(sql) {
      const text = normalize(sql)
      if (text.startsWith('begin') || text.startsWith('start transaction')) transaction = []
      transaction.push(text)
      if (when === 'before' && matches(text)) onTrigger()
    },
    after(sql) {
      if (when === 'after' && matches(normalize(sql))) onTrigger()
    },
  }
}

function observeSqlite(createConnectionObserver: () => StatementObserver): void {
  const prepare = Database.prototype.prepare
  const observer = createConnectionObserver()
  Object.defineProperty(Database.prototype, 'prepare', {
    value(this: Database, ...given: Parameters<typeof prepare>) {
      const statement = Reflect.apply(prepare, this, given)
      const [sql] = given
      for (const verb of ['run', 'all'] as const) {
        const work = statement[verb]
        const observed = (...values: Parameters<typeof work>) => {
          observer.before(sql)
          const result = Reflect.apply(work, statement, values)
          observer.after(sql)
          return result
        }
        Object.defineProperty(statement, verb, { value: observed })
      }
      return statement
    },
  })
}

/** Replaces the runtime's client with one that hands out observed connections. */
function observePostgres(createConnectionObserver: () => StatementObserver): void {
  const Client = Bun.SQL
  const connect = (options: Bun.SQL.Options): Bun.SQL => {
    const client = new Client(options)
    const reserve = client.reserve.bind(client)
    Object.defineProperty(client, 'reserve', {
      value: async () => observeConnection(await reserve(), createConnectionObserver()),
    })
    return client
  }
  Object.defineProperty(Bun, 'SQL', {
    value: new Proxy(Client, { construct: (_, [options]) => connect(options) }),
  })
}

/** The observer is notified of a result before the caller receives it. */
function observeConnection(connection: ReservedSQL, observer: StatementObserver): ReservedSQL {
  const query = connection.unsafe.bind(connection)
  Object.defineProperty(connection, 'unsafe', {
    value(...given: Parameters<typeof query>) {
      const [sql] = given
      observer.before(sql)
      const result = query(...given)
      result.then(
        () => observer.after(sql),
        () => undefined,
      )
      return result
    },
  })
  return connection
}

/** Same text for both engines, whose parameters are `?` and `$1`. */
const normalize = (statement: string): string =>
  statement.toLowerCase().replaceAll('"', '').replace(/\$\d+/g, '?').replace(/\s+/g, ' ').trim()

type Connect = (options: Bun.TCPSocketConnectOptions<undefined>) => Promise<Bun.Socket>

/** Observes what is written to each socket, and what arrives before the gateway receives it. */
function observeUpstream(trigger: UpstreamTrigger, onTrigger: () => void): void {
  const connect: Connect = Bun.connect
  const observedConnect: Connect = options => {
    const observer = new HttpObserver(trigger, onTrigger)
    const { open, data } = options.socket
    return connect({
      ...options,
      socket: {
        ...options.socket,
        open(socket) {
          const write = socket.write.bind(socket)
          Object.defineProperty(socket, 'write', {
            value(...given: Parameters<typeof write>) {
              observer.onWrite(String(given[0]))
              return write(...given)
            },
          })
          return open?.(socket)
        },
        data(socket, bytes) {
          observer.onData(bytes.toString('latin1'))
          return data?.(socket, bytes)
        },
      },
    })
  }
  Object.defineProperty(Bun, 'connect', { value: observedConnect })
}

/** Follows the requests of one connection and their responses, one at a time. */
class HttpObserver {
  private readonly trigger: UpstreamTrigger
  private readonly onTrigger: () => void
  private isMatch = false
  private response = ''

  constructor(trigger: UpstreamTrigger, onTrigger: () => void) {
    this.trigger = trigger
    this.onTrigger = onTrigger
  }

  onWrite(text: string): void {
    const [, target] = /^(?:GET|POST) (\S+) HTTP/.exec(text) ?? []
    if (target === undefined) return
    const { at, path = '' } = this.trigger
    this.isMatch = target.includes(path)
    this.response = ''
    if (this.isMatch && at === 'call') this.onTrigger()
  }

  onData(text: string): void {
    const { at } = this.trigger
    const before = this.response
    this.response += text
    const hasHead = this.response.includes(HEAD_END)
    const isHeadNew = hasHead && !before.includes(HEAD_END)
    const hasBody = hasHead && !this.response.endsWith(HEAD_END)
    const reached = {
      call: false,
      head: isHeadNew,
      bytes: hasBody,
      end: hasHead && isComplete(this.response),
    }
    if (this.isMatch && reached[at]) this.onTrigger()
  }
}

const HEAD_END = '\r\n\r\n'

/** Whether the whole body has arrived, by its length or its last chunk. */
function isComplete(response: string): boolean {
  const [head = ''] = response.split(HEAD_END, 1)
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  const bodyLength = response.length - head.length - HEAD_END.length
  return length === undefined ? response.endsWith(`0${HEAD_END}`) : bodyLength >= Number(length)
}

const plan = process.env[CRASH_PLAN_VARIABLE]
/** Safe cast: the variable holds the JSON of a `CrashPlan`. */
if (plan) installCrashHook(JSON.parse(plan) as CrashPlan)
