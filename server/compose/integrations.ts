import type { OptionValues } from '#contract/options/system-options.ts'
import { formatQuota } from '../api/format.ts'
import type { Settings } from '../api/settings.ts'
import { mailServerOf } from '../config/smtp-server.ts'
import type { Logger } from '../core/logger.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Database } from '../db/engine/database.ts'
import { type Mailer, openMailer } from '../integrations/mailer.ts'
import type { Parties } from '../integrations/parties.ts'
import { type AskRelease, openReleaseFeed } from '../integrations/release-feed.ts'
import { type NoticeOptions, openNotices, type SendNotice } from '../integrations/send-notice.ts'
import { openRootNotices, type RootNotices } from '../jobs/tell-root.ts'
import { type BalanceWatch, startBalanceWatch } from '../jobs/warn-low-balances.ts'
import type { Egress } from '../relay/upstream/safe-fetch.ts'
import type { Send } from '../relay/upstream/send.ts'

interface OutsideParts {
  readonly db: Database
  readonly settings: Settings
  readonly secrets: Secrets
  readonly log: Logger
  readonly rateLimiter: RateLimiter
  readonly send: Send
  readonly egress: Egress
  readonly parties: Parties
}

/** Everything by which the gateway writes to people. */
export interface Outside {
  readonly mailer: Mailer
  readonly sendNotice: SendNotice
  readonly rootNotices: RootNotices
  readonly askRelease: AskRelease
  readonly balanceWatch: BalanceWatch
  /** Waits for what is under way. */
  close(): Promise<void>
}

/** Puts mail, webhooks and notices together, as the options stand at each moment. */
export function openOutside(parts: OutsideParts): Outside {
  const { settings, log, parties } = parts
  const values = () => settings.current().values
  const mailer = openMailer({ log, server: () => mailServerOf(values()), authority: parties.mailAuthority })
  const sendNotice = openNotices({ ...parts, mailer, options: () => noticeOptionsOf(values()) })
  const rootNotices = openRootNotices({ ...parts, sendNotice })
  const balanceWatch = startBalanceWatch({
    ...parts,
    sendNotice,
    options: () => warningOptionsOf(values()),
  })
  return {
    mailer,
    sendNotice,
    rootNotices,
    askRelease: openReleaseFeed(parts.egress),
    balanceWatch,
    async close() {
      await balanceWatch.stop()
      await rootNotices.close()
      await mailer.close()
    },
  }
}

const noticeOptionsOf = ({ SystemName, WorkerUrl, WorkerValidKey }: OptionValues): NoticeOptions => ({
  systemName: SystemName,
  worker: WorkerUrl === '' ? undefined : { url: WorkerUrl, key: WorkerValidKey },
})

const warningOptionsOf = (values: OptionValues) => ({
  threshold: values.QuotaRemindThreshold,
  topUpUrl: values.ServerAddress && `${values.ServerAddress}/topup`,
  amountText: (units: number) => formatQuota(units, values),
})
