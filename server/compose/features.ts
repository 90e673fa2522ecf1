import type { Options } from '#contract/options/define-option.ts'
import { systemOptions } from '#contract/options/system-options.ts'
import type { ActFor, ApiCaller } from '../api/context.ts'
import { combineListeners, type Events } from '../api/events.ts'
import type { Route } from '../api/handle.ts'
import type { PlainRoute } from '../api/plain-route.ts'
import type { Logger } from '../core/logger.ts'
import type { Feature, FeatureParts, Job, Services } from '../feature.ts'
import type { LoadedFolders } from '../program.ts'
import type { CallerLookup } from '../relay/admission/authenticate.ts'
import { composeHooks } from '../relay/compose-hooks.ts'
import type { RelayHooks } from '../relay/hooks.ts'
import type { RelayRoute } from '../relay/routes/routes.ts'
import type { RelayObserver } from '../relay/telemetry/observer.ts'

/** Hooks, migrations and messages name features by their folder. */
const FOLDER = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** The loaded features by folder name. Throws when a folder has another kind of name, or does not export `feature`. */
export const featuresOf = (modules: LoadedFolders): ReadonlyMap<string, Feature> =>
  new Map(
    [...modules].map(([folder, { feature }]) => {
      if (!FOLDER.test(folder))
        throw new Error(
          `features/${folder}: name the folder in lower case with hyphens, such as price-updates`,
        )
      if (!isFeature(feature))
        throw new Error(`features/${folder}/server/index.ts must export \`feature\`, made by defineFeature()`)
      return [folder, feature]
    }),
  )

const isFeature = (value: unknown): value is Feature => typeof value === 'object' && value !== null

/** All options: those of the base, then those of features. Throws when two have the same name. */
export function optionsOf(features: ReadonlyMap<string, Pick<Feature, 'options'>>): Options {
  const options: Record<string, Options[string]> = { ...systemOptions }
  const owners = new Map(Object.keys(systemOptions).map(name => [name, 'contract/options']))
  for (const [folder, { options: own = {} }] of features)
    for (const [name, option] of Object.entries(own)) {
      const file = `features/${folder}/options.ts`
      const owner = owners.get(name)
      if (owner !== undefined)
        throw new Error(
          `${owner} and ${file} both declare the option ${name}: give the one that has not landed another name`,
        )
      owners.set(name, file)
      options[name] = option
    }
  return options
}

/** What happens in the program, told to all features that listen. */
export const eventsOf = (features: ReadonlyMap<string, Feature>): Events =>
  combineListeners([...features.values()].flatMap(({ on }) => on ?? []))

/** The parts of all started features by folder name. */
export type StartedFeatures = ReadonlyMap<string, FeatureParts>

export function startFeatures(
  features: ReadonlyMap<string, Feature>,
  services: Omit<Services, 'endpoints' | 'events' | 'budgetSubject'>,
): StartedFeatures {
  const started = new Map<string, FeatureParts>()
  const endpoints = () =>
    [...started.values()].flatMap(({ routes = [] }) => routes.map(({ endpoint }) => endpoint))
  const budgetSubject = (kind: string) =>
    [...started.values()].map(({ budgetSubjects }) => budgetSubjects?.[kind]).find(found => found)
  const common = { ...services, endpoints, budgetSubject, events: eventsOf(features) }
  for (const [name, { start }] of features) started.set(name, start?.(common) ?? {})
  return started
}

/** What the web server serves for features. */
export interface ServedParts {
  readonly routes: readonly Route[]
  readonly actFor: ActFor
  readonly plainRoutes: readonly PlainRoute[]
  isRelayPath(path: string): boolean
}

/** Throws when two features serve the same path. */
export function servedPartsOf(started: StartedFeatures): ServedParts {
  requireOwnPaths(started)
  const parts = [...started.values()]
  const [actFor = async (person: ApiCaller) => person] = parts.flatMap(part => part.actFor ?? [])
  return {
    actFor,
    routes: parts.flatMap(({ routes = [] }) => routes),
    plainRoutes: parts.flatMap(({ plainRoutes = [] }) => plainRoutes),
    isRelayPath: path => parts.some(part => part.isRelayPath?.(path)),
  }
}

function requireOwnPaths(started: StartedFeatures): void {
  const owners = new Map<string, string>()
  for (const [folder, parts] of started) {
    const file = `features/${folder}/server/index.ts`
    for (const path of listPaths(parts)) {
      const owner = owners.get(path)
      if (owner !== undefined)
        throw new Error(
          owner === file
            ? `${file} serves ${path} twice: remove one of the routes`
            : `${owner} and ${file} both serve ${path}: give one of them another path`,
        )
      owners.set(path, file)
    }
  }
}

/** Methods and paths, with the same name for every parameter. */
const listPaths = ({ routes = [], plainRoutes = [], paths = [] }: FeatureParts): readonly string[] => [
  ...routes.map(({ endpoint: { method, path } }) => `${method} ${path.replace(/:\w+/g, ':id')}`),
  ...plainRoutes.map(({ method = 'GET', path }) => `${method} ${path}`),
  ...paths.flatMap(({ method, path, dialect }) => `${method} ${path} (${dialect})`),
]

/** The paths of the relay that features serve. */
export const pathsOf = (started: StartedFeatures): readonly RelayRoute[] =>
  [...started.values()].flatMap(({ paths = [] }) => paths)

/** Throws when the features of a hook and their order differ. */
export const hooksOf = (started: StartedFeatures, log: Logger): RelayHooks =>
  composeHooks(
    new Map([...started].flatMap(([name, { relay }]) => (relay ? [[name, relay] as const] : []))),
    log,
  )

/** The lookup of callers, with the keys that features know. */
export function callersOf(started: StartedFeatures, callers: CallerLookup): CallerLookup {
  const finders = [...started.values()].flatMap(({ findCaller }) => findCaller ?? [])
  return {
    ...callers,
    findForeign: (key, client) => finders.map(find => find(key, client)).find(found => found !== undefined),
  }
}

export const jobsOf = (started: StartedFeatures): readonly Job[] =>
  [...started.values()].flatMap(({ jobs = [] }) => jobs)

export const observersOf = (started: StartedFeatures): readonly RelayObserver[] =>
  [...started.values()].flatMap(({ observer }) => observer ?? [])

/** Once nothing is left to observe. */
export const closeObservers = async (started: StartedFeatures): Promise<void> =>
  void (await Promise.all([...started.values()].map(({ observer }) => observer?.close?.())))

export const stopFeatures = async (started: StartedFeatures): Promise<void> =>
  void (await Promise.all([...started.values()].map(parts => parts.stop?.())))
