import { Database } from 'bun:sqlite'
import type { ReservedSQL } from 'bun'
import { CRASH_PLAN, type CrashPlan, type StorePlace, type UpstreamPlace } from './place.ts'

/**
 * Runs before the program, in its process, and kills it at one place. The program knows nothing of it: what is
 * watched is the runtime's own doors, the database and connections. SIGKILL to oneself takes effect before the call returns.
 */
function obey({ place, count, isFromStart = false }: CrashPlan): void {
  let left = count
  let isArmed = isFromStart
  const arrive = (): void => {
    if (isArmed) left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
  onServing(() => {
    isArmed = true
  })
  if (place.clientConnection === 'store') observeStore(place, arrive)
  else observeUpstream(place, arrive)
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

/** Both engines, of which the runtime has the clients. */
function observeStore(place: StorePlace, arrive: () => void): void {
  observeSqlite(() => createObserver(place, arrive))
  observePostgres(() => createObserver(place, arrive))
}

interface Observer {
  before(statement: string): void
  after(statement: string): void
}

/** What one connection has said since its transaction began. */
function createObserver({ when, statement, within = '' }: StorePlace, arrive: () => void): Observer {
  let transaction: string[] = []
  const isPlace = (text: string): boolean =>
    text.startsWith(statement) && transaction.some(earlier => earlier.startsWith(within))
  return {
    before(sql) {
      const text = plain(sql)
      if (text.startsWith('begin') || text.startsWith('start transaction')) transaction = []
      transaction.push(text)
      if (when === 'before' && isPlace(text)) arrive()
    },
    after(sql) {
      if (when === 'after' && isPlace(plain(sql))) arrive()
    },
  }
}

function observeSqlite(open: () => Observer): void {
  const prepare = Database.prototype.prepare
  const observer = open()
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

/** The runtime's client, with connections that are watched. */
function observePostgres(open: () => Observer): void {
  const Client = Bun.SQL
  const connect = (options: Bun.SQL.Options): Bun.SQL => {
    const client = new Client(options)
    const reserve = client.reserve.bind(client)
    Object.defineProperty(client, 'reserve', { value: async () => observedCall(await reserve(), open()) })
    return client
  }
  Object.defineProperty(Bun, 'SQL', {
    value: new Proxy(Client, { construct: (_, [options]) => connect(options) }),
  })
}

/** The watch hears of an answer before whoever asked does. */
function observedCall(connection: ReservedSQL, observer: Observer): ReservedSQL {
  const ask = connection.unsafe.bind(connection)
  Object.defineProperty(connection, 'unsafe', {
    value(...given: Parameters<typeof ask>) {
      const [sql] = given
      observer.before(sql)
      const response = ask(...given)
      response.then(
        () => observer.after(sql),
        () => undefined,
      )
      return response
    },
  })
  return connection
}

/** Alike for both engines, whose parameters are `?` and `$1`. */
const plain = (statement: string): string =>
  statement.toLowerCase().replaceAll('"', '').replace(/\$\d+/g, '?').replace(/\s+/g, ' ').trim()

type Connect = (options: Bun.TCPSocketConnectOptions<undefined>) => Promise<Bun.Socket>

/** Each connection is watched: what is asked over it, and what comes back before the program sees it. */
function observeUpstream(place: UpstreamPlace, arrive: () => void): void {
  const connect: Connect = Bun.connect
  const observedCall: Connect = options => {
    const talk = new Talk(place, arrive)
    const { open, data } = options.socket
    return connect({
      ...options,
      socket: {
        ...options.socket,
        open(socket) {
          const write = socket.write.bind(socket)
          Object.defineProperty(socket, 'write', {
            value(...given: Parameters<typeof write>) {
              talk.ask(String(given[0]))
              return write(...given)
            },
          })
          return open?.(socket)
        },
        data(socket, bytes) {
          talk.hear(bytes.toString('latin1'))
          return data?.(socket, bytes)
        },
      },
    })
  }
  Object.defineProperty(Bun, 'connect', { value: observedCall })
}

/** One request after the other over one connection, each with its answer. */
class Talk {
  private readonly place: UpstreamPlace
  private readonly arrive: () => void
  private isMeant = false
  private heard = ''

  constructor(place: UpstreamPlace, arrive: () => void) {
    this.place = place
    this.arrive = arrive
  }

  ask(text: string): void {
    const [, target] = /^(?:GET|POST) (\S+) HTTP/.exec(text) ?? []
    if (target === undefined) return
    const { at, path = '' } = this.place
    this.isMeant = target.includes(path)
    this.heard = ''
    if (this.isMeant && at === 'call') this.arrive()
  }

  hear(text: string): void {
    const { at } = this.place
    const before = this.heard
    this.heard += text
    const isHeadIn = this.heard.includes(HEAD_END)
    const isFirst = isHeadIn && !before.includes(HEAD_END)
    const hasBody = isHeadIn && !this.heard.endsWith(HEAD_END)
    const hasCome = { call: false, head: isFirst, bytes: hasBody, end: isHeadIn && isJson(this.heard) }
    if (this.isMeant && hasCome[at]) this.arrive()
  }
}

const HEAD_END = '\r\n\r\n'

/** Its length has come, or the last of its chunks. */
function isJson(response: string): boolean {
  const [head = ''] = response.split(HEAD_END, 1)
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  const bodyLength = response.length - head.length - HEAD_END.length
  return length === undefined ? response.endsWith(`0${HEAD_END}`) : bodyLength >= Number(length)
}

const plan = process.env[CRASH_PLAN]
/** Trusts the order: it comes from the type's own JSON. */
if (plan) obey(JSON.parse(plan) as CrashPlan)
