import { Database } from 'bun:sqlite'
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

function watchStore(place: StorePlace, arrive: () => void): void {
  const prepare = Database.prototype.prepare
  let transaction: string[] = []
  const isPlace = (text: string): boolean =>
    text.startsWith(place.statement) &&
    (place.within === undefined || transaction.some(earlier => earlier.startsWith(place.within ?? '')))
  const run = <Result>(text: string, work: () => Result): Result => {
    if (text.startsWith('begin')) transaction = []
    if (place.when === 'before' && isPlace(text)) arrive()
    const result = work()
    if (place.when === 'after' && isPlace(text)) arrive()
    transaction.push(text)
    return result
  }
  Object.defineProperty(Database.prototype, 'prepare', {
    value(this: Database, ...given: Parameters<typeof prepare>) {
      const statement = Reflect.apply(prepare, this, given)
      const text = plain(given[0])
      for (const verb of ['run', 'all'] as const) {
        const work = statement[verb]
        const watched = (...values: Parameters<typeof work>) =>
          run(text, () => Reflect.apply(work, statement, values))
        Object.defineProperty(statement, verb, { value: watched })
      }
      return statement
    },
  })
}

const plain = (sql: string): string => sql.toLowerCase().replaceAll('"', '').replace(/\s+/g, ' ').trim()

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
