import type { FactorKind } from '#contract/accounts/reauthentication.ts'
import type { AuditedRecord } from '#contract/audited-records.ts'
import type { AnyEndpoint, ChangedRows } from '#contract/endpoint.ts'
import type { OrganizationRole } from '#contract/enums.ts'
import type { Options } from '#contract/options/define-option.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Database } from '../db/engine/database.ts'
import { type FindNotifier, notifierOfUser } from '../notifications/send-notification.ts'

/** What an account at a provider holds. */
export interface BalanceRead {
  readonly channelId: number
  /** Unix seconds. */
  readonly readAt: number
  /** In the currency. */
  readonly balance: number
  /** ISO 4217. */
  readonly currency: string
}

/** A call that the contract wants recorded. */
export interface AuditedCall {
  readonly db: Database
  readonly secrets: Secrets
  readonly options: Options
  readonly endpoint: AnyEndpoint
  readonly input: { readonly params: unknown; readonly query: unknown; readonly body: unknown }
  readonly caller: {
    readonly id: number
    readonly username: string
    readonly accessToken?: string
    /** The person, where the caller is an organisation. */
    readonly member?: { readonly userId: number; readonly username: string }
  }
  readonly credential: 'session' | 'access-token' | 'none'
  readonly address: string
  readonly requestId: string
}

/** A change that is no call of the management API: of a command, a job or an identity provider. */
export interface ProgramChange extends Pick<AuditedCall, 'db' | 'secrets' | 'options'> {
  readonly credential: 'command' | 'job' | 'scim' | 'openid' | 'token' | 'payment' | 'device'
  /** Account of the operating system, or the identity provider. */
  readonly actorName: string
  readonly action: string
  readonly record?: AuditedRecord
  /** The records that it is about to change. */
  readonly rows?: ChangedRows
  /** Without secrets. */
  readonly input?: Readonly<Record<string, unknown>>
  readonly address?: string
  readonly requestId?: string
}

export interface AuditedOutcome {
  /** Empty for success, else the code of the error. */
  readonly code: string
  /** The `data` of the response. */
  readonly data?: unknown
}

export interface CallRecorder {
  /** Before a call changes records that its input does not name. */
  willChange(ids: readonly number[]): Promise<void>
  ended(outcome: AuditedOutcome): Promise<void>
}

/** The organisations of a user, with the roles there, as an identity provider says. It changes and ends only what it has begun. */
export interface MappedMemberships extends Readonly<Record<'source' | 'sourceName' | 'requestId', string>> {
  readonly userId: number
  readonly roles: ReadonlyMap<number, Exclude<OrganizationRole, 'owner'>>
}

/** What others do when something has happened, in its transaction: when one of them throws, nothing has happened. */
export interface Events {
  /** A user was deregistered. */
  userDeleted(tx: Database, userId: number): Promise<void>
  /** A password was replaced: whatever signed in with the old one ends. */
  credentialsChanged(tx: Database, userId: number): Promise<void>
  /** The provider of a channel said what its account holds. */
  balanceRead(tx: Database, reading: BalanceRead): Promise<void>
  /** An identity provider says of which organisations a user is a member. */
  membershipsMapped(tx: Database, mapped: MappedMemberships): Promise<void>
  /** An account is notified: how. Default: as its user has chosen. */
  readonly notifierOf: FindNotifier
  /** A user is about to sign in or to be asked: the kinds of second factors that the user has. */
  factorsOf(db: Database, userId: number): Promise<readonly FactorKind[]>
  /** A recorded call begins, in no transaction. When the recording fails at its end, so does the call. */
  callStarted(call: AuditedCall): Promise<CallRecorder>
  /** A recorded change of a program begins, in its transaction where it has one. */
  changeStarted(change: ProgramChange): Promise<CallRecorder>
}

/** Tells all listeners, one after another: they share the connection of the transaction. */
export function combineListeners(listeners: readonly Partial<Events>[]): Events {
  return {
    async userDeleted(tx, userId) {
      for (const listener of listeners) await listener.userDeleted?.(tx, userId)
    },
    async credentialsChanged(tx, userId) {
      for (const listener of listeners) await listener.credentialsChanged?.(tx, userId)
    },
    async balanceRead(tx, reading) {
      for (const listener of listeners) await listener.balanceRead?.(tx, reading)
    },
    async membershipsMapped(tx, mapped) {
      for (const listener of listeners) await listener.membershipsMapped?.(tx, mapped)
    },
    async notifierOf(account, deps) {
      const listener = listeners.find(({ notifierOf }) => notifierOf)
      return (await listener?.notifierOf?.(account, deps)) ?? notifierOfUser(account, deps)
    },
    async factorsOf(db, userId) {
      const kinds: FactorKind[] = []
      for (const listener of listeners) kinds.push(...((await listener.factorsOf?.(db, userId)) ?? []))
      return kinds
    },
    callStarted: call => combineRecorders(listeners.map(listener => () => listener.callStarted?.(call))),
    changeStarted: change =>
      combineRecorders(listeners.map(listener => () => listener.changeStarted?.(change))),
  }
}

async function combineRecorders(
  starts: ReadonlyArray<() => Promise<CallRecorder> | undefined>,
): Promise<CallRecorder> {
  const recorders: CallRecorder[] = []
  for (const start of starts) recorders.push(...[await start()].flatMap(recorder => recorder ?? []))
  return {
    async willChange(ids) {
      for (const recorder of recorders) await recorder.willChange(ids)
    },
    async ended(outcome) {
      for (const recorder of recorders) await recorder.ended(outcome)
    },
  }
}
