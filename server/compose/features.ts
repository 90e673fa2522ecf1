import type { Route } from '../api/handle.ts'
import type { Logger } from '../core/logger.ts'
import type { Feature, FeatureParts, Services } from '../feature.ts'
import { composeHooks } from '../relay/compose-hooks.ts'
import type { RelayHooks } from '../relay/hooks.ts'
import type { RelayRoute } from '../relay/routes/routes.ts'
import type { TaskPath } from '../relay/tasks/task-routes.ts'
import type { LoadedFolders } from './modules.ts'

/** The loaded features by folder name. Throws when a folder does not export `feature`. */
export const featuresOf = (modules: LoadedFolders): ReadonlyMap<string, Feature> =>
  new Map(
    [...modules].map(([folder, { feature }]) => {
      if (!isFeature(feature))
        throw new Error(`features/${folder}/server/index.ts must export \`feature\`, made by defineFeature()`)
      return [folder, feature]
    }),
  )

const isFeature = (value: unknown): value is Feature => typeof value === 'object' && value !== null

/** The parts of all started features by folder name. */
export type StartedFeatures = ReadonlyMap<string, FeatureParts>

export const startFeatures = (features: ReadonlyMap<string, Feature>, services: Services): StartedFeatures =>
  new Map([...features].map(([name, feature]) => [name, feature.start?.(services) ?? {}]))

export const routesOf = (started: StartedFeatures): readonly Route[] =>
  [...started.values()].flatMap(({ routes = [] }) => routes)

/** The paths of the relay that features serve. */
export const pathsOf = (started: StartedFeatures): readonly RelayRoute[] =>
  [...started.values()].flatMap(({ paths = [] }) => paths)

export const taskPathsOf = (started: StartedFeatures): readonly TaskPath[] =>
  [...started.values()].flatMap(({ taskPaths = [] }) => taskPaths)

/** Throws when the features of a hook and their order differ. */
export const hooksOf = (started: StartedFeatures, log: Logger): RelayHooks =>
  composeHooks(
    new Map([...started].flatMap(([name, { relay }]) => (relay ? [[name, relay] as const] : []))),
    log,
  )

export const stopFeatures = async (started: StartedFeatures): Promise<void> =>
  void (await Promise.all([...started.values()].map(parts => parts.stop?.())))
