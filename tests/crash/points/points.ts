import { ASKS, calling, waiting } from './callers.ts'
import { drawing } from './drawing.ts'
import { adjusting, limiting, paying, redeeming } from './errands.ts'
import type { Place, StorePlace, UpstreamPlace } from './place.ts'
import { recovering } from './recovering.ts'
import type { Scene } from './scene.ts'

export interface Point {
  readonly name: string
  readonly place: Place
  readonly scene: Scene
}

/** A death of a program that has never run on its database. */
export interface FirstStartPoint {
  readonly name: string
  readonly place: StorePlace
  readonly countMax: number
}

const before = (statement: string, within?: string): StorePlace => ({
  clientConnection: 'store',
  when: 'before',
  statement,
  ...(within && { within }),
})
const after = (statement: string, within?: string): StorePlace => ({
  ...before(statement, within),
  when: 'after',
})
const upstream = (at: UpstreamPlace['at'], path?: string): UpstreamPlace => ({
  clientConnection: 'upstream',
  at,
  ...(path && { path }),
})
const client = (at: 'asked' | 'head' | 'bytes' | 'end') => ({ clientConnection: 'client', at }) as const

const { anything, long, rejected, left, slow, stream, json } = ASKS
const PAYING = 'update users set quota = quota -'
const OPENING = 'insert into holds'
const GROWING = 'update holds set amount'
const CLOSING = 'delete from holds'
const REPORTED = 'update tasks set status'
const DECIDED = `${REPORTED} = ?, progress = ?, fail_reason = ?, detail = ?, submit_time_ms = ?, start_time_ms = ?, finish_time_ms = ?, updated_at_ms = ?, outcome`

const point = (name: string, place: Place, scene: Scene): Point => ({ name, place, scene })
const uncharged = (name: string, place: Place, ask: Parameters<typeof calling>[0]['ask'] = anything): Point =>
  point(name, place, calling({ ask, charged: 0 }))
const charged = (name: string, place: Place, ask = anything): Point =>
  point(name, place, calling({ ask, charged: 1 }))

/** The way of a request, from top to bottom. */
export const REQUEST_POINTS: readonly Point[] = [
  uncharged('before the caller is read', before('select tokens.key_hash')),
  uncharged('hold: before the wallet pays', before(PAYING)),
  uncharged('hold: the wallet has paid, the token not', after(PAYING)),
  uncharged('hold: wallet and token have paid', before(OPENING)),
  uncharged('hold: the row stands, no posting', after(OPENING)),
  uncharged('hold: before the commit', before('commit', OPENING)),
  uncharged('hold: after the commit', after('commit', OPENING)),
  uncharged('upstream: before it is asked', upstream('call')),
  point('upstream: asked, and silent', client('asked'), waiting),
  uncharged('upstream: the head of a whole answer is in', upstream('head'), json),
  uncharged('upstream: a whole answer is in', upstream('end'), json),
  uncharged('upstream: the head of a stream is in', upstream('head'), stream),
  uncharged('upstream: some of a stream is in', upstream('bytes'), stream),
  uncharged('upstream: all of a stream is in', upstream('end'), stream),
  uncharged('extension: before the row grows', before(GROWING), long),
  uncharged('extension: the row has grown, nobody has paid', after(GROWING), long),
  uncharged('extension: before the commit', before('commit', GROWING), long),
  uncharged('extension: after the commit', after('commit', GROWING), long),
  point('client: has the head of a stream', client('head'), calling({ ask: slow, charged: 0, countMax: 1 })),
  point('client: has the first event', client('bytes'), calling({ ask: slow, charged: 0, countMax: 1 })),
  uncharged('settle: before the hold is closed', before(CLOSING)),
  uncharged('settle: the hold is closed', after(CLOSING)),
  uncharged('settle: the rest is back in the wallet', after('update users set quota = quota +', CLOSING)),
  uncharged(
    'settle: the rest is back in the token',
    after('update tokens set remain_quota = remain_quota +', CLOSING),
  ),
  uncharged('settle: before the postings', before('insert into postings', CLOSING)),
  uncharged('settle: after the first postings', after('insert into postings', CLOSING)),
  uncharged('settle: before the log row', before('insert into logs')),
  uncharged('settle: after the log row', after('insert into logs')),
  uncharged('settle: after the receipt', after('insert into receipts')),
  uncharged('settle: after the hours', after('insert into usage_hours')),
  uncharged('settle: before the commit', before('commit', CLOSING)),
  charged('settle: after the commit, before the client has its end', after('commit', CLOSING)),
  uncharged('client: has its whole answer', client('end')),
  uncharged('release of a refused request: before the commit', before('commit', CLOSING), rejected),
  uncharged('release of a refused request: after the commit', after('commit', CLOSING), rejected),
  point(
    'settle after the client left: before the commit',
    before('commit', CLOSING),
    calling({ ask: left, charged: 'unsure' }),
  ),
  point(
    'settle after the client left: after the commit',
    after('commit', CLOSING),
    calling({ ask: left, charged: 'unsure' }),
  ),
  point('recovery: this process is written down', after('insert into processes'), recovering),
  point('recovery: the holders are known', after('select distinct process_id'), recovering),
  point('recovery: holds are closed', after(CLOSING), recovering),
  point('recovery: before the commit', before('commit', CLOSING), recovering),
  point('recovery: after the commit', after('commit', CLOSING), recovering),
  point('recovery: before the dead process is forgotten', before('delete from processes'), recovering),
]

/** Money that moves without a request. */
export const ERRAND_POINTS: readonly Point[] = [
  point('code: marked as used', after('update redemptions set'), redeeming(false)),
  point('code: before the commit', before('commit', 'update redemptions set'), redeeming(false)),
  point('code: after the commit', after('commit', 'update redemptions set'), redeeming(true)),
  point(
    'top-up: the order is credited, the wallet not',
    after('update top_ups set status = ?, completed_at'),
    paying(false),
  ),
  point('top-up: before the commit', before('commit', 'update top_ups set'), paying(false)),
  point('top-up: after the commit', after('commit', 'update top_ups set'), paying(true)),
  point(
    'adjustment: the wallet has moved, no posting',
    after('update users set quota = quota +'),
    adjusting(false),
  ),
  point('adjustment: before the commit', before('commit', 'insert into postings'), adjusting(false)),
  point('adjustment: after the commit', after('commit', 'insert into postings'), adjusting(true)),
  point('limit of a token: before the commit', before('commit', 'insert into postings'), limiting(false)),
  point('limit of a token: after the commit', after('commit', 'insert into postings'), limiting(true)),
]

/** Tasks: submitted, kept, followed, paid. */
export const TASK_POINTS: readonly Point[] = [
  point('task: held, not submitted', upstream('call', '/submit/'), drawing),
  point('task: submitted, not kept', upstream('head', '/submit/'), drawing),
  point('task: its hold is handed over', after('update holds set process_id'), drawing),
  point('task: kept, before the commit', before('commit', 'insert into tasks'), drawing),
  point('task: kept, after the commit', after('commit', 'insert into tasks'), drawing),
  point('task: its vendor has told, nothing is noted', before(REPORTED), drawing),
  point('task: decided, not paid', after(DECIDED), drawing),
  point('task: paid, before the commit', before('commit', CLOSING), drawing),
  point('task: paid, after the commit', after('commit', CLOSING), drawing),
  point('task: before nobody need look at it', before('update tasks set due_ms = ? where id'), drawing),
]

/** A new installation. */
export const FIRST_START_POINTS: readonly FirstStartPoint[] = [
  { name: 'first start: a table is made', place: after('create table'), countMax: 20 },
  { name: 'first start: an index is made', place: after('create index'), countMax: 20 },
  { name: 'first start: a step is written down', place: after('insert into kysely_migration'), countMax: 5 },
  {
    name: 'first start: before the commit of the tables',
    place: before('commit', 'create table users'),
    countMax: 1,
  },
  {
    name: 'first start: after the commit of the tables',
    place: after('commit', 'create table users'),
    countMax: 1,
  },
  { name: 'first start: the account has no money', place: after('insert into users'), countMax: 1 },
  {
    name: 'first start: before the commit of the account',
    place: before('commit', 'insert into users'),
    countMax: 1,
  },
  {
    name: 'first start: after the commit of the account',
    place: after('commit', 'insert into users'),
    countMax: 1,
  },
]
