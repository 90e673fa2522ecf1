import { field, runTasks } from '../../../../tests/golden/cases/tasks.ts'
import type { GoldenCases } from '../../../../tests/golden/recorder.ts'

/** The gateway polls its tasks at any time. */
const DRAWING = { keyHeader: 'mj-api-secret', isPolled: true } as const

export const golden: GoldenCases = {
  'drawings that succeed and fail': runTasks(DRAWING, {
    submit: fault => ({ path: '/mj/submit/imagine', body: { prompt: `a lighthouse [lab: ${fault}]` } }),
    pathOf: json => `/mj/task/${field(json, 'result')}/fetch`,
  }),
  'a rejected drawing': async client => {
    await client.call({ path: '/mj/submit/imagine', ...DRAWING, body: { prompt: 'no [lab: task-code-24]' } })
  },
}
