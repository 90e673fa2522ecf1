import { errorMessage } from '../core/errors.ts'
import type { Logger } from '../core/logger.ts'
import { admitFurther } from './admission/admit.ts'
import { HOOK_ORDER, type HookOrder } from './hook-order.ts'
import type { Recording, RecordResponse, RelayHooks, RequestInspector } from './hooks.ts'
import type { BodyCompletion } from './request/parse-request.ts'

/** The hooks of features, by the names of their folders. */
export type JoinedHooks = ReadonlyMap<string, RelayHooks>

/**
 * The hooks of all features as one. A hook that no feature joins stays undefined, and one with a single feature is that
 * feature's own. Throws when the features of a hook and their places differ.
 */
export function composeHooks(joined: JoinedHooks, log: Logger, places: HookOrder = HOOK_ORDER): RelayHooks {
  requirePlaces(joined, places)
  const ordered = <Name extends keyof HookOrder>(name: Name) =>
    places[name].flatMap(feature => joined.get(feature)?.[name] ?? [])
  const all = <Name extends keyof RelayHooks>(name: Name) =>
    [...joined.values()].flatMap(hooks => hooks[name] ?? [])
  return {
    admit: combine(
      ordered('admit'),
      (first, second) => async call => admitFurther(await first(call), second(call)),
    ),
    adaptRequest: combine(
      all('adaptRequest'),
      (first, second) => async request => second(await first(request)),
    ),
    completeBody: combine(ordered('completeBody'), completeTwice),
    inspectRequest: combine(ordered('inspectRequest'), inspectTwice),
    orderCandidates: combine(
      ordered('orderCandidates'),
      (first, second) => (candidates, request) => second(first(candidates, request), request),
    ),
    respondInstead: combine(
      all('respondInstead'),
      (first, second) =>
        async (...args) =>
          (await first(...args)) ?? second(...args),
    ),
    recordResponse: combine(all('recordResponse'), recordTwice),
    settled: combine(
      all('settled').map(hook => guard(hook, log)),
      callBoth,
    ),
    failed: combine(
      all('failed').map(hook => guard(hook, log)),
      callBoth,
    ),
  }
}

/** Undefined for no hooks. */
const combine = <Hook>(
  hooks: readonly Hook[],
  join: (first: Hook, second: Hook) => Hook,
): Hook | undefined => (hooks.length === 0 ? undefined : hooks.reduce(join))

const completeTwice =
  (first: BodyCompletion, second: BodyCompletion): BodyCompletion =>
  async (body, call) => {
    const one = await first(body, call)
    const two = await second(one ? { ...body, value: one.json } : body, call)
    if (!one || !two) return one ?? two
    return { ...one, ...two, echoedFields: { ...one.echoedFields, ...two.echoedFields } }
  }

const recordTwice =
  (first: RecordResponse, second: RecordResponse): RecordResponse =>
  (...args) => {
    const one = first(...args)
    const two = second(...args)
    return one && two ? recordBoth(one, two) : (one ?? two)
  }

const recordBoth = (one: Recording, two: Recording): Recording => ({
  begin() {
    one.begin()
    two.begin()
  },
  complete: async response => void (await Promise.all([one.complete(response), two.complete(response)])),
  drop: async () => void (await Promise.all([one.drop(), two.drop()])),
  collector: one.collector ?? two.collector,
  thoughts: one.thoughts ?? two.thoughts,
})

const inspectTwice = (first: RequestInspector, second: RequestInspector): RequestInspector => ({
  async inspectBody(request) {
    await first.inspectBody(request)
    await second.inspectBody(request)
  },
  inspectEvent(event, request) {
    first.inspectEvent(event, request)
    second.inspectEvent(event, request)
  },
})

const callBoth =
  <Value>(first: (value: Value) => void, second: (value: Value) => void) =>
  (value: Value): void => {
    first(value)
    second(value)
  }

/** A feature that only learns of a request cannot make it fail. */
const guard =
  <Value extends { readonly requestId: string }>(hook: (value: Value) => void, log: Logger) =>
  (value: Value): void => {
    try {
      hook(value)
    } catch (error) {
      log.error('a feature failed after a request', {
        request_id: value.requestId,
        reason: errorMessage(error),
        error,
      })
    }
  }

const FILE = 'server/relay/hook-order.ts'

function requirePlaces(joined: JoinedHooks, places: HookOrder): void {
  for (const [hook, names] of orderedHooks(places)) {
    for (const [feature, hooks] of joined)
      if (hooks[hook] && !names.includes(feature))
        throw new Error(
          `the feature ${feature} joins the hook ${hook} without a place in it: add its name to ${hook} in ${FILE}`,
        )
    for (const name of names)
      if (!joined.get(name)?.[hook])
        throw new Error(
          `${FILE} names ${name} in ${hook}, but features/${name} does not exist or does not join it: remove the name`,
        )
  }
}

const orderedHooks = ({ admit, completeBody, inspectRequest, orderCandidates }: HookOrder) =>
  [
    ['admit', admit],
    ['completeBody', completeBody],
    ['inspectRequest', inspectRequest],
    ['orderCandidates', orderCandidates],
  ] as const
