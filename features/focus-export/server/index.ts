import { handleResult } from '#server/api/handle.ts'
import { defineFeature } from '#server/feature.ts'
import { exportFocus, exportSelfFocus } from '../contract.ts'
import { exportFocusFile } from './export.ts'

const routes = [
  handleResult(exportFocus, async ({ query, ...context }) =>
    exportFocusFile(context, { query, userId: undefined }),
  ),
  handleResult(exportSelfFocus, async ({ query, ...context }) =>
    exportFocusFile(context, { query, userId: context.caller.id }),
  ),
]

export const feature = defineFeature({ start: () => ({ routes }) })
