import { PriceList } from '../../catalogue/price-list.ts'
import type { LocalizedText } from '../../json-text.ts'

const StrictPriceList = PriceList.strict()

/** The problem with a model's purchase prices; undefined when they can be used. */
export function findPriceListProblem(list: unknown): LocalizedText | undefined {
  const { data, error } = StrictPriceList.safeParse(list)
  if (!data) {
    const [issue] = error.issues
    const place = [...(issue?.path ?? []), ...(issue?.code === 'unrecognized_keys' ? issue.keys : [])].join(
      '.',
    )
    return issue?.code === 'too_big'
      ? { zh: `${place} 价格过高`, en: `${place} is too high` }
      : { zh: `${place || '价格表'} 无效`, en: `${place || 'the list'} is not valid` }
  }
  const { input, characters, request, image, second_input } = data
  return (input ?? characters ?? request ?? image ?? second_input) === undefined
    ? { zh: '没有输入价格', en: 'there is no price for input' }
    : undefined
}
