import { systemOptions } from '#contract/options/system-options.ts'
import { combineListeners, type Events } from '../api/events.ts'
import { createIntegrations, type Integrations } from '../compose/integrations.ts'
import { setClock } from '../core/clock.ts'
import { createSecrets } from '../core/crypto.ts'
import { createLogger } from '../core/logger.ts'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import type { Database } from '../db/engine/database.ts'
import { PROVIDER_ENDPOINTS } from '../http-client/provider-request.ts'
import { createSafeFetch } from '../http-client/safe-fetch.ts'
import { send } from '../http-client/send.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { createUser, openTestLedger, type TestLedger } from '../ledger/testing.ts'
import { loadSettings, type Settings } from '../settings/settings.ts'
import { type LocalMailServer, MAIL_ACCOUNT, openLocalMailServer } from '../testing/local-mail-server.ts'
import { type LocalServer, openLocalServer } from '../testing/local-server.ts'
import type { NotifierDeps } from './send-notification.ts'

/** A process that sends notifications, with what a feature needs to send its own. */
interface TestProcess extends Integrations, Omit<NotifierDeps, 'sendNotification'> {
  readonly settings: Settings
  readonly events: Events
}

/** A mail server and a webhook that receive notifications, a ledger whose charges cause them, and a clock that stands. */
export class TestNotifications {
  readonly secrets = createSecrets('the secret key of the tests')
  readonly db: Database
  readonly ledger: Ledger
  readonly mailServer: LocalMailServer
  readonly webhook: LocalServer
  private readonly testLedger: TestLedger
  /** Warnings of all processes. */
  logged = ''
  nowMs = 1_800_000_000_000
  readonly log = createLogger({
    level: 'warn',
    isPretty: false,
    write: line => {
      this.logged += line
    },
  })
  private readonly processes: Integrations[] = []
  private readonly restoreClock = setClock({ nowMs: () => this.nowMs, elapsedMs: () => performance.now() })

  private constructor(
    testLedger: TestLedger,
    servers: { readonly mailServer: LocalMailServer; readonly webhook: LocalServer },
  ) {
    this.testLedger = testLedger
    this.db = testLedger.db
    this.ledger = testLedger.ledger
    this.mailServer = servers.mailServer
    this.webhook = servers.webhook
    this.webhook.handlers['/hook'] = () => new Response('ok')
  }

  static async open(): Promise<TestNotifications> {
    const opened = new TestNotifications(await openTestLedger(), {
      mailServer: await openLocalMailServer(),
      webhook: openLocalServer({ isEncrypted: true }),
    })
    await opened.setOptions({
      SMTPServer: 'localhost',
      SMTPPort: String(opened.mailServer.port),
      SMTPAccount: MAIL_ACCOUNT.user,
      SMTPToken: opened.secrets.encrypt(MAIL_ACCOUNT.password),
      ServerAddress: 'https://gate.example',
    })
    return opened
  }

  /** For processes that are opened afterwards. */
  async setOptions(options: Readonly<Record<string, string>>): Promise<void> {
    const rows = Object.entries(options).map(([key, value]) => ({ key, value }))
    await this.db.insertInto('options').values(rows).execute()
  }

  /** `allowed`: the private addresses that it may call. */
  async openProcess(allowed: readonly string[] = ['127.0.0.1', '::1']): Promise<TestProcess> {
    const { db, secrets, log, mailServer } = this
    const shared = {
      db,
      secrets,
      log,
      settings: await loadSettings({ db, secrets, log, options: systemOptions }),
    }
    const { authority } = mailServer
    const integrations = createIntegrations({
      ...shared,
      rateLimiter: createLocalRateLimiter(),
      send,
      safeFetch: createSafeFetch({ allowed, authority }),
      providerEndpoints: { ...PROVIDER_ENDPOINTS, mailCertificateAuthority: authority },
    })
    this.processes.push(integrations)
    return { ...shared, ...integrations, events: combineListeners([]) }
  }

  async addUser(
    units: number,
    columns: { email?: string; setting?: string; role?: number } = {},
  ): Promise<number> {
    const id = await createUser(this.db, units)
    const email = columns.email ?? `${id}@example.org`
    await this.db
      .updateTable('users')
      .set({ ...columns, email })
      .where('id', '=', id)
      .execute()
    return id
  }

  /** The stored preferences of a user who is notified through the webhook. */
  webhookSetting(changes: object = {}): string {
    return JSON.stringify({
      notify_type: 'webhook',
      quota_warning_threshold: 5000,
      webhook_url: `${this.webhook.url}/hook`,
      webhook_secret: this.secrets.encrypt('hush'),
      ...changes,
    })
  }

  async close(): Promise<void> {
    for (const process of this.processes) await process.close()
    await this.testLedger.close()
    await this.webhook.close()
    await this.mailServer.close()
    this.restoreClock()
  }
}
