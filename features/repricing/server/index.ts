import type { z } from 'zod'
import { systemOptions } from '#contract/options/system-options.ts'
import type { ApiContext } from '#server/api/context.ts'
import { handle, type Route } from '#server/api/handle.ts'
import { parseInput } from '#server/api/parse-input.ts'
import { ApiError, apiErrors } from '#server/core/api-error.ts'
import { defineFeature } from '#server/feature.ts'
import type { PriceOptions } from '#server/pricing/ratio-rules.ts'
import type { REPRICE_OPTIONS, RepriceState } from '../contract.ts'
import * as endpoints from '../contract.ts'
import { createRepricing, type Repricing } from './repricing.ts'

const repriceError = apiErrors('reprice', {
  running: {
    zh: '已有一个试算正在进行，请等待其完成或先取消',
    en: 'another computation is running: wait for it or cancel it',
  },
  empty_period: { zh: '结束时间必须晚于开始时间', en: 'the period must end after it begins' },
})

const createRoutes = (repricing: Repricing): readonly Route[] => [
  handle(endpoints.startReprice, async ({ body, log, requestId, caller, ...context }) => {
    const { from, until, limit_percent, limit_quota } = body
    if (until <= from) throw repriceError('empty_period')
    const options = draftOptions(body.options, context)
    const limits = { percent: limit_percent, quota: limit_quota }
    if (!repricing.start({ options, from, until, limits })) throw repriceError('running')
    log.info('requests are charged again at other prices', {
      request_id: requestId,
      user_id: caller.id,
      from,
      until,
    })
    return viewState(repricing)
  }),

  handle(endpoints.getReprice, async () => viewState(repricing)),

  handle(endpoints.cancelReprice, async () => {
    await repricing.cancel()
    return viewState(repricing)
  }),
]

type Drafts = Readonly<Partial<Record<OptionName, string | undefined>>>
type OptionName = (typeof REPRICE_OPTIONS)[number]

/** The options in force, with the drafts in their place. Throws `invalid_parameter`, which names the draft. */
function draftOptions(
  drafts: Drafts,
  { settings, language }: Pick<ApiContext, 'settings' | 'language'>,
): PriceOptions {
  const { values } = settings.current()
  const parse = <Value>(key: OptionName, schema: z.ZodType<Value>, current: Value): Value => {
    const draft = drafts[key]
    if (draft === undefined) return current
    try {
      return parseInput(schema, draft, language)
    } catch (error) {
      throw error instanceof ApiError ? error.about(key) : error
    }
  }
  const figures = (key: Exclude<OptionName, 'ModelPriceLists'>) =>
    parse(key, systemOptions[key].schema, values[key])
  return {
    ModelRatio: figures('ModelRatio'),
    ModelPrice: figures('ModelPrice'),
    CompletionRatio: figures('CompletionRatio'),
    CacheRatio: figures('CacheRatio'),
    CreateCacheRatio: figures('CreateCacheRatio'),
    GroupRatio: figures('GroupRatio'),
    ModelPriceLists: parse('ModelPriceLists', systemOptions.ModelPriceLists.schema, values.ModelPriceLists),
  }
}

function viewState(repricing: Repricing): RepriceState {
  const { status, share, startedAt, finishedAt, from, until, result } = repricing.state()
  return {
    status,
    share,
    started_at: startedAt,
    finished_at: finishedAt,
    from,
    until,
    ...(result && {
      result: {
        ...result,
        kept: [...result.kept],
        models: [...result.models],
        groups: [...result.groups],
        users: [...result.users],
      },
    }),
  }
}

export const feature = defineFeature({
  start({ database, log }) {
    const repricing = createRepricing(database, log)
    return { routes: createRoutes(repricing), stop: repricing.stop }
  },
})
