import { createFirstRoot } from './api/create-account.ts'
import { openGateway, relayToolsOf } from './compose/gateway.ts'
import { type Modules, routesOf } from './compose/modules.ts'
import { openReadiness } from './compose/readiness.ts'
import { startJobs } from './compose/start-jobs.ts'
import { openStore } from './compose/store.ts'
import { openSeeing } from './compose/telemetry.ts'
import type { Config } from './config/config.ts'
import { nowSeconds } from './core/clock.ts'
import type { Logger } from './core/logger.ts'
import { type App, createApp } from './http/app.ts'
import { type FileSet, openStaticFiles } from './http/static-files.ts'
import { PARTIES } from './integrations/parties.ts'
import { startTaskFollowing } from './jobs/follow-tasks.ts'
import { labFetch } from './lab/lab.ts'
import { relay } from './relay/pipeline.ts'
import { followTasks } from './relay/tasks/follow-tasks.ts'

export interface WiringParts {
  readonly config: Config
  readonly modules: Modules
  readonly consoleFiles: FileSet
  readonly version: string
  readonly log: Logger
  /** Has the last word on each answer. */
  readonly seal: (response: Response) => Response
}

export interface Wired {
  readonly app: App
  /** Set when this start created the first account: to be shown once. */
  readonly rootPassword: string | undefined
  /** Others may serve what this process does not: they share its database. */
  readonly hasNeighbours: boolean
  /** `/readyz` answers 503 from now on. */
  drain(): void
  /** Writes what is still waiting and lets everything go, from the outside in: what still asks ends before what is asked. */
  close(): Promise<void>
}

/** Puts the parts together: store, jobs, relay, management API. With its folder the only place that knows all of them. */
export async function wire(parts: WiringParts): Promise<Wired> {
  const { config, modules } = parts
  const store = await openStore(config, modules.providers, parts.log)
  const { database, db, settings, channels, outside } = store
  const rootPassword = await createFirstRoot({
    db,
    ...(config.rootPassword && { password: config.rootPassword }),
  })
  const jobs = await startJobs(store)
  const seeing = openSeeing({ ...parts, processId: store.processId })
  const gateway = openGateway({ store, config, modules, seeing, processes: jobs.processes })
  const stopTasks = startTaskFollowing({ follow: signal => followTasks(gateway, signal), log: parts.log })
  const readiness = openReadiness(database, jobs.isWriting)
  const app = createApp({
    ...parts,
    ...store,
    ...relayToolsOf(gateway),
    send: gateway.send,
    parties: PARTIES,
    mailer: outside.mailer,
    sendNotice: outside.sendNotice,
    askRelease: outside.askRelease,
    rootNotices: outside.rootNotices,
    installation: { version: parts.version, startedAt: nowSeconds() },
    routes: routesOf(modules.resources),
    relay: (request, door) => relay(request, door, gateway),
    answerCount: seeing.relayMetrics.responses,
    lives: [settings, channels],
    trustedProxies: config.trustedProxies,
    files: openStaticFiles(parts.consoleFiles),
    readiness: readiness.read,
    metrics: seeing.relayMetrics.metrics.render,
    ...(config.isDevelopment && { lab: labFetch }),
  })
  return {
    app,
    rootPassword,
    hasNeighbours: database.engine === 'postgres',
    drain: readiness.drain,
    async close() {
      await app.close()
      await stopTasks()
      await jobs.stop()
      await seeing.close()
      await store.close()
    },
  }
}
