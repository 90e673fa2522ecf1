import { field, runTasks } from '../../../../tests/golden/cases/tasks.ts'
import type { GoldenCases } from '../../../../tests/golden/recorder.ts'

export const golden: GoldenCases = {
  'music that succeeds and fails': runTasks(
    { isPolled: true },
    {
      submit: fault => ({
        path: '/suno/submit/music',
        body: { gpt_description_prompt: `the sea [lab: ${fault}]` },
      }),
      pathOf: json => `/suno/fetch/${field(json, 'data')}`,
    },
  ),
  'an unknown music action': async client => {
    await client.call({ path: '/suno/submit/unknown', body: { prompt: 'the sea' } })
  },
}
