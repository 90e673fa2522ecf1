import { Database } from 'bun:sqlite'
import type { ReservedSQL } from 'bun'
import { DEATH_ORDER, type DeathOrder, type StorePlace, type UpstreamPlace } from './place.ts'

/**
 * Runs before the program, in its process, and kills it at one place. The program knows nothing of it: what is
 * watched is the runtime's own doors, the database and `fetch`. SIGKILL to oneself takes effect before the call returns.
 */
function obey({ place, count, isFromStart = false }: DeathOrder): void {
  let left = count
  let isArmed = isFromStart
  const arrive = (): void => {
    if (isArmed) left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  }
  onServing(() => {
    isArmed = true
  })
  if (place.door === 'store') watchStore(place, arrive)
  else watchUpstream(place, arrive)
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
function watchStore(place: StorePlace, arrive: () => void): void {
  watchSqlite(() => openWatch(place, arrive))
  watchPostgres(() => openWatch(place, arrive))
}

interface Watch {
  before(statement: string): void
  after(statement: string): void
}

/** What one connection has said since its transaction began. */
function openWatch({ when, statement, within = '' }: StorePlace, arrive: () => void): Watch {
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

function watchSqlite(open: () => Watch): void {
  const prepare = Database.prototype.prepare
  const watch = open()
  Object.defineProperty(Database.prototype, 'prepare', {
    value(this: Database, ...given: Parameters<typeof prepare>) {
      const statement = Reflect.apply(prepare, this, given)
      const [sql] = given
      for (const verb of ['run', 'all'] as const) {
        const work = statement[verb]
        const observed = (...values: Parameters<typeof work>) => {
          watch.before(sql)
          const result = Reflect.apply(work, statement, values)
          watch.after(sql)
          return result
        }
        Object.defineProperty(statement, verb, { value: observed })
      }
      return statement
    },
  })
}

/** The runtime's client, with connections that are watched. */
function watchPostgres(open: () => Watch): void {
  const Client = Bun.SQL
  const connect = (options: Bun.SQL.Options): Bun.SQL => {
    const client = new Client(options)
    const reserve = client.reserve.bind(client)
    Object.defineProperty(client, 'reserve', { value: async () => watched(await reserve(), open()) })
    return client
  }
  Object.defineProperty(Bun, 'SQL', {
    value: new Proxy(Client, { construct: (_, [options]) => connect(options) }),
  })
}

/** The watch hears of an answer before whoever asked does. */
function watched(connection: ReservedSQL, watch: Watch): ReservedSQL {
  const ask = connection.unsafe.bind(connection)
  Object.defineProperty(connection, 'unsafe', {
    value(...given: Parameters<typeof ask>) {
      const [sql] = given
      watch.before(sql)
      const answer = ask(...given)
      answer.then(
        () => watch.after(sql),
        () => undefined,
      )
      return answer
    },
  })
  return connection
}

/** Alike for both engines, whose parameters are `?` and `$1`. */
const plain = (statement: string): string =>
  statement.toLowerCase().replaceAll('"', '').replace(/\$\d+/g, '?').replace(/\s+/g, ' ').trim()

function watchUpstream({ at, path = '' }: UpstreamPlace, arrive: () => void): void {
  const call = globalThis.fetch
  const watched = async (...given: Parameters<typeof fetch>): Promise<Response> => {
    const [asked] = given
    const address = asked instanceof Request ? asked.url : String(asked)
    if (!address.includes(path)) return call(...given)
    if (at === 'call') arrive()
    const answer = await call(...given)
    if (at === 'head') arrive()
    return at === 'bytes' || at === 'end' ? new Response(watchBody(answer, at, arrive), answer) : answer
  }
  globalThis.fetch = Object.assign(watched, { preconnect: call.preconnect })
}

function watchBody({ body }: Response, at: 'bytes' | 'end', arrive: () => void) {
  const passing = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      if (at === 'bytes') arrive()
      controller.enqueue(bytes)
    },
    flush() {
      if (at === 'end') arrive()
    },
  })
  return body?.pipeThrough(passing) ?? null
}

const order = process.env[DEATH_ORDER]
/** Trusts the order: it comes from the type's own JSON. */
if (order) obey(JSON.parse(order) as DeathOrder)
