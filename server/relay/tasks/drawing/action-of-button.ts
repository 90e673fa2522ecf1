import { TaskRefusal } from '../task-refusal.ts'

/** What pressing a button means, by what its id holds, in this order. Source: the buttons of finished drawings. */
const MEANINGS: readonly (readonly [test: (key: string) => boolean, action: string])[] = [
  [key => key.includes('upsample'), 'UPSCALE'],
  [key => key === 'variation', 'VARIATION'],
  [key => key === 'low_variation', 'LOW_VARIATION'],
  [key => key === 'high_variation', 'HIGH_VARIATION'],
  [key => key.includes('pan'), 'PAN'],
  [key => key.includes('reroll'), 'REROLL'],
  [key => key === 'Outpaint', 'ZOOM'],
  [key => key === 'CustomZoom', 'CUSTOM_ZOOM'],
  [key => key === 'Inpaint', 'INPAINT'],
]
const WITH_INDEX: readonly string[] = ['UPSCALE', 'VARIATION']

/**
 * The action behind a button's id, such as `MJ::JOB::upsample::2::hash`. A button that is not known here is an action
 * of its own name where it has a price. Throws TaskRefusal.
 */
export function actionOfButton(customId: string, isPriced: (model: string) => boolean): string {
  const [, second = '', third = '', fourth = ''] = customId.split('::')
  const key = second === 'JOB' ? third : second
  const known = MEANINGS.find(([means]) => means(key))?.[1]
  if (known && WITH_INDEX.includes(known) && !/^\d+$/.test(fourth))
    throw new TaskRefusal('index_parse_failed', `${customId} has no number of a picture`)
  const own = key.toUpperCase()
  if (!known && !(/^\w+$/.test(own) && isPriced(`mj_${own.toLowerCase()}`)))
    throw new TaskRefusal(`unknown_action:${customId}`)
  return known ?? own
}
