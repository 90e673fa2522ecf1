import { PriceList } from '../../catalogue/price-list.ts'
import type { LocalizedText } from '../../json-text.ts'

/** A price beyond this is a mistake: the dearest models cost a thousandth of it. */
const DOLLARS_MAX = 1_000_000

const StrictPriceList = PriceList.strict()

/** The problem with a model's purchase prices; undefined when they can be used. */
export function findPriceListProblem(list: unknown): LocalizedText | undefined {
  const { data, error } = StrictPriceList.safeParse(list)
  if (!data) {
    const [issue] = error.issues
    const place = [...(issue?.path ?? []), ...(issue?.code === 'unrecognized_keys' ? issue.keys : [])].join(
      '.',
    )
    return { zh: `${place || '价格表'} 无效`, en: `${place || 'the list'} is not valid` }
  }
  const { input, characters, request, image, second_input } = data
  if ((input ?? characters ?? request ?? image ?? second_input) === undefined)
    return { zh: '没有输入价格', en: 'there is no price for input' }
  const high = findHighPrice(data)
  return high === undefined ? undefined : { zh: `${high} 价格过高`, en: `${high} is too high` }
}

/** Names the price that is too high; undefined when all are in range. */
function findHighPrice(value: unknown, path = ''): string | undefined {
  if (typeof value === 'number') return value > DOLLARS_MAX ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, entry] of Object.entries(value)) {
    // The length of a prompt.
    if (key === 'above') continue
    const found = findHighPrice(entry, path === '' ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}
