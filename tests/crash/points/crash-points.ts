import { adjustment, payment, purchase, redemption, tokenLimit } from './balance-scenarios.ts'
import type { CrashTrigger, DatabaseTrigger, UpstreamTrigger } from './crash-plan.ts'
import { recoveryScenario } from './recovery-scenario.ts'
import { hangingScenario, REQUESTS, requestScenario } from './request-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { taskScenario } from './task-scenario.ts'

export interface CrashPoint {
  readonly name: string
  readonly trigger: CrashTrigger
  readonly scenario: Scenario
}

/** A kill of a gateway that starts on an empty database. */
export interface FirstStartCrashPoint {
  readonly name: string
  readonly trigger: DatabaseTrigger
  readonly countMax: number
}

const before = (statement: string, within?: string): DatabaseTrigger => ({
  kind: 'database',
  when: 'before',
  statement,
  ...(within && { within }),
})
const after = (statement: string, within?: string): DatabaseTrigger => ({
  ...before(statement, within),
  when: 'after',
})
const upstream = (at: UpstreamTrigger['at'], path?: string): UpstreamTrigger => ({
  kind: 'upstream',
  at,
  ...(path && { path }),
})
const client = (at: 'asked' | 'head' | 'bytes' | 'end') => ({ kind: 'client', at }) as const

const { anything, long, rejected, aborted, slow, stream, json, turn } = REQUESTS
const DEBIT_WALLET = 'update users set quota = quota -'
const INSERT_HOLD = 'insert into holds'
const EXTEND_HOLD = 'update holds set amount'
const CLOSE_HOLD = 'delete from holds'
const COUNT_BUDGETS = 'insert into budget_windows'
const UPDATE_TASK = 'update tasks set status'
const DECIDE_TASK = `${UPDATE_TASK} = ?, progress = ?, fail_reason = ?, detail = ?, submit_time_ms = ?, start_time_ms = ?, finish_time_ms = ?, updated_at_ms = ?, outcome`

const point = (name: string, trigger: CrashTrigger, scenario: Scenario): CrashPoint => ({
  name,
  trigger,
  scenario,
})
/** The interrupted request is not charged. */
const uncharged = (
  name: string,
  trigger: CrashTrigger,
  createRequest: Parameters<typeof requestScenario>[0]['createRequest'] = anything,
): CrashPoint => point(name, trigger, requestScenario({ createRequest, extraCharges: 0 }))
/** The interrupted request is charged. */
const charged = (name: string, trigger: CrashTrigger, createRequest = anything): CrashPoint =>
  point(name, trigger, requestScenario({ createRequest, extraCharges: 1 }))

/** Points of a request and of the recovery after a crash, in pipeline order. */
export const REQUEST_POINTS: readonly CrashPoint[] = [
  uncharged('before the token is looked up', before('select tokens.id, tokens.key_hash')),
  uncharged('hold: before the wallet is debited', before(DEBIT_WALLET)),
  uncharged('hold: after the wallet is debited, before the token', after(DEBIT_WALLET)),
  uncharged('hold: after wallet and token are debited', before(INSERT_HOLD)),
  uncharged('hold: after the hold is inserted, before its posting', after(INSERT_HOLD)),
  uncharged('hold: after its budgets are taken', after(COUNT_BUDGETS, INSERT_HOLD)),
  uncharged('hold: before the commit', before('commit', INSERT_HOLD)),
  uncharged('hold: after the commit', after('commit', INSERT_HOLD)),
  uncharged('upstream: before the call', upstream('call')),
  point('upstream: called, without a response', client('asked'), hangingScenario),
  uncharged('upstream: after the head of a JSON response', upstream('head'), json),
  uncharged('upstream: after a complete JSON response', upstream('end'), json),
  uncharged('upstream: after the head of a stream', upstream('head'), stream),
  uncharged('upstream: after a part of a stream', upstream('bytes'), stream),
  uncharged('upstream: after the end of a stream', upstream('end'), stream),
  uncharged('extension: before the hold is updated', before(EXTEND_HOLD), long),
  uncharged('extension: after the hold is updated, before the debit', after(EXTEND_HOLD), long),
  uncharged('extension: before the commit', before('commit', EXTEND_HOLD), long),
  uncharged('extension: after the commit', after('commit', EXTEND_HOLD), long),
  point(
    'client: after the head of a stream',
    client('head'),
    requestScenario({ createRequest: slow, extraCharges: 0, countMax: 1 }),
  ),
  point(
    'client: after the first event of a stream',
    client('bytes'),
    requestScenario({ createRequest: slow, extraCharges: 0, countMax: 1 }),
  ),
  uncharged('settle: before the hold is closed', before(CLOSE_HOLD)),
  uncharged('settle: after the hold is closed', after(CLOSE_HOLD)),
  uncharged('settle: after the refund to the wallet', after('update users set quota = quota +', CLOSE_HOLD)),
  uncharged(
    'settle: after the refund to the token',
    after('update tokens set remain_quota = remain_quota +', CLOSE_HOLD),
  ),
  uncharged('settle: before the postings', before('insert into postings', CLOSE_HOLD)),
  uncharged('settle: after the first postings', after('insert into postings', CLOSE_HOLD)),
  uncharged('settle: after its budgets are returned', after(COUNT_BUDGETS, CLOSE_HOLD)),
  uncharged('settle: after the use of its budgets', after('insert into budget_uses')),
  uncharged('settle: before the log row', before('insert into logs')),
  uncharged('settle: after the log row', after('insert into logs')),
  uncharged('settle: after the receipt', after('insert into receipts')),
  uncharged('settle: after the hourly usage', after('insert into usage_hours')),
  uncharged('settle: before the commit', before('commit', CLOSE_HOLD)),
  charged('settle: after the commit, before the end of the response', after('commit', CLOSE_HOLD)),
  uncharged('client: after the complete response', client('end')),
  uncharged('release of a rejected request: before the commit', before('commit', CLOSE_HOLD), rejected),
  uncharged('release of a rejected request: after the commit', after('commit', CLOSE_HOLD), rejected),
  point(
    'settle after a client disconnect: before the commit',
    before('commit', CLOSE_HOLD),
    requestScenario({ createRequest: aborted, extraCharges: 'unsure' }),
  ),
  point(
    'settle after a client disconnect: after the commit',
    after('commit', CLOSE_HOLD),
    requestScenario({ createRequest: aborted, extraCharges: 'unsure' }),
  ),
  point(
    'turn over a WebSocket: after its first event',
    client('bytes'),
    requestScenario({ createRequest: turn, extraCharges: 0, countMax: 3 }),
  ),
  uncharged('turn over a WebSocket: before the charge is committed', before('commit', CLOSE_HOLD), turn),
  charged('turn over a WebSocket: after the charge is committed', after('commit', CLOSE_HOLD), turn),
  charged(
    'turn over a WebSocket: before the response is stored',
    before('insert into stored_responses'),
    turn,
  ),
  point('recovery: after the process is registered', after('insert into processes'), recoveryScenario),
  point(
    'recovery: after the dead processes are listed',
    after('select distinct process_id'),
    recoveryScenario,
  ),
  point('recovery: after holds are closed', after(CLOSE_HOLD), recoveryScenario),
  point('recovery: before the commit', before('commit', CLOSE_HOLD), recoveryScenario),
  point('recovery: after the commit', after('commit', CLOSE_HOLD), recoveryScenario),
  point('recovery: before the dead process is deleted', before('delete from processes'), recoveryScenario),
]

/** Balance changes without a relayed request. */
export const BALANCE_POINTS: readonly CrashPoint[] = [
  point('redemption code: after it is marked as used', after('update redemptions set'), redemption(false)),
  point('redemption code: before the commit', before('commit', 'update redemptions set'), redemption(false)),
  point('redemption code: after the commit', after('commit', 'update redemptions set'), redemption(true)),
  point(
    'top-up: after the order is completed, before the wallet',
    after('update top_ups set status = ?, completed_at'),
    payment(false),
  ),
  point('top-up: before the commit', before('commit', 'update top_ups set'), payment(false)),
  point('top-up: after the commit', after('commit', 'update top_ups set'), payment(true)),
  point(
    'adjustment: after the wallet is changed, before the posting',
    after('update users set quota = quota +'),
    adjustment(false),
  ),
  point('adjustment: before the commit', before('commit', 'insert into postings'), adjustment(false)),
  point('adjustment: after the commit', after('commit', 'insert into postings'), adjustment(true)),
  point(
    'subscription: after it is paid, before its windows',
    before('insert into budgets', 'insert into subscriptions'),
    purchase(false),
  ),
  point(
    'subscription: bought, before the commit',
    before('commit', 'insert into subscriptions'),
    purchase(false),
  ),
  point(
    'subscription: bought, after the commit',
    after('commit', 'insert into subscriptions'),
    purchase(true),
  ),
  point('token limit: before the commit', before('commit', 'insert into postings'), tokenLimit(false)),
  point('token limit: after the commit', after('commit', 'insert into postings'), tokenLimit(true)),
]

/** Asynchronous tasks: submitted, stored, polled, charged. */
export const TASK_POINTS: readonly CrashPoint[] = [
  point('task: after the hold, before the submission', upstream('call', '/submit/'), taskScenario),
  point('task: after the submission, before the task is stored', upstream('head', '/submit/'), taskScenario),
  point('task: after the hold is assigned to the task', after('update holds set process_id'), taskScenario),
  point('task: stored, before the commit', before('commit', 'insert into tasks'), taskScenario),
  point('task: stored, after the commit', after('commit', 'insert into tasks'), taskScenario),
  point('task: before the reported status is stored', before(UPDATE_TASK), taskScenario),
  point('task: after the outcome is stored, before the charge', after(DECIDE_TASK), taskScenario),
  point('task: charged, before the commit', before('commit', CLOSE_HOLD), taskScenario),
  point('task: charged, after the commit', after('commit', CLOSE_HOLD), taskScenario),
  point(
    'task: before its next poll is cleared',
    before('update tasks set due_ms = ? where id'),
    taskScenario,
  ),
]

/** The first start on an empty database. */
export const FIRST_START_POINTS: readonly FirstStartCrashPoint[] = [
  { name: 'first start: after a table is created', trigger: after('create table'), countMax: 20 },
  { name: 'first start: after an index is created', trigger: after('create index'), countMax: 20 },
  {
    name: 'first start: after a migration is recorded',
    trigger: after('insert into kysely_migration'),
    countMax: 5,
  },
  {
    name: 'first start: before the commit of the tables',
    trigger: before('commit', 'create table users'),
    countMax: 1,
  },
  {
    name: 'first start: after the commit of the tables',
    trigger: after('commit', 'create table users'),
    countMax: 1,
  },
  {
    name: 'first start: after the account is inserted, before its quota',
    trigger: after('insert into users'),
    countMax: 1,
  },
  {
    name: 'first start: before the commit of the account',
    trigger: before('commit', 'insert into users'),
    countMax: 1,
  },
  {
    name: 'first start: after the commit of the account',
    trigger: after('commit', 'insert into users'),
    countMax: 1,
  },
]
