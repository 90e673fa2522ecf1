import type { OptionValues } from '#contract/options/system-options.ts'
import { readMailServer } from '../config/smtp-server.ts'
import type { Secrets } from '../core/crypto.ts'
import type { Logger } from '../core/logger.ts'
import type { RateLimiter } from '../core/rate-limit.ts'
import type { Database } from '../db/engine/database.ts'
import type { ProviderEndpoints } from '../http-client/provider-request.ts'
import type { FetchWorker, SafeFetch } from '../http-client/safe-fetch.ts'
import type { Send } from '../http-client/send.ts'
import { createMailer, type Mailer } from '../notifications/mailer.ts'
import { createRootNotifier, type RootNotifier } from '../notifications/root-notifier.ts'
import {
  createNotificationSender,
  type NotificationOptions,
  type SendNotification,
} from '../notifications/send-notification.ts'
import type { Settings } from '../settings/settings.ts'

interface IntegrationDeps {
  readonly db: Database
  readonly settings: Settings
  readonly secrets: Secrets
  readonly log: Logger
  readonly rateLimiter: RateLimiter
  readonly send: Send
  readonly safeFetch: SafeFetch
  readonly providerEndpoints: ProviderEndpoints
}

/** Services that contact users. */
export interface Integrations {
  readonly mailer: Mailer
  readonly sendNotification: SendNotification
  readonly rootNotifier: RootNotifier
  /** Waits for messages being sent. */
  close(): Promise<void>
}

/** Composes mail and notifications. Options are read on each use, so changes apply at once. */
export function createIntegrations(deps: IntegrationDeps): Integrations {
  const { settings, log, providerEndpoints } = deps
  const values = () => settings.current().values
  const mailer = createMailer({
    log,
    server: () => readMailServer(values()),
    authority: providerEndpoints.mailCertificateAuthority,
  })
  const sendNotification = createNotificationSender({
    ...deps,
    mailer,
    options: () => readNotificationOptions(values()),
  })
  const rootNotifier = createRootNotifier({ ...deps, sendNotification })
  return {
    mailer,
    sendNotification,
    rootNotifier,
    async close() {
      await rootNotifier.close()
      await mailer.close()
    },
  }
}

const readNotificationOptions = (values: OptionValues): NotificationOptions => ({
  systemName: values.SystemName,
  worker: readFetchWorker(values),
})

/** The worker that fetches in place of the gateway; undefined without one. */
export const readFetchWorker = ({ WorkerUrl, WorkerValidKey }: OptionValues): FetchWorker | undefined =>
  WorkerUrl === '' ? undefined : { url: WorkerUrl, key: WorkerValidKey }
