import { isObject } from '#server/provider-kit/json.ts'
import { jsonObject } from '../../read-values.ts'

/** Options of new-api that change what users pay, and have no counterpart here. */

/** What the other options say of prices. */
export interface SourcePrices {
  readonly groupRatios: Readonly<Record<string, unknown>>
  /** The expressions that price models, by model. The figures of their ratios mean nothing there. */
  readonly expressions: ReadonlyMap<string, string>
}

/** Questions about an option that decides on payments and does not come; empty for any other option. */
export function askAboutPayments(key: string, value: string, prices: SourcePrices): readonly string[] {
  const ask = Object.hasOwn(QUESTIONS, key) ? QUESTIONS[key] : undefined
  return ask ? Object.entries(jsonOf(value)).flatMap(([name, figure]) => ask(name, figure, prices)) : []
}

type Question = (name: string, figure: unknown, prices: SourcePrices) => string | readonly string[]

/** A single figure is an object with one nameless member. */
function jsonOf(value: string): Readonly<Record<string, unknown>> {
  const isText = value !== '' && !/^\s*[{[]/.test(value)
  return isText ? { '': value } : jsonObject(value)
}

const times =
  (subject: string, base: string): Question =>
  (model, ratio) =>
    `${subject} of ${model} cost ${ratio} times its ${base} there; such a ratio does not come: set the price list of the model here`

const dollars =
  (offer: string): Question =>
  (_, price) =>
    `${offer} cost ${price} there, and users cannot pay that way here`

const QUESTIONS: Readonly<Record<string, Question>> = {
  GroupGroupRatio: (userGroup, ratios, { groupRatios }) =>
    Object.entries(isObject(ratios) ? ratios : {}).map(
      ([group, ratio]) =>
        `users of the group ${userGroup} paid the ratio ${ratio} in the group ${group} there, and pay ${groupRatios[group] ?? 'that of the group'} here: a group of their own can keep their price`,
    ),
  ImageRatio: times('pictures in requests', 'text input'),
  AudioRatio: times('sound in requests', 'text input'),
  AudioCompletionRatio: times('spoken output', 'sound in requests'),
  'billing_setting.billing_mode': (model, _, { expressions }) => {
    const expression = expressions.get(model)
    return expression === undefined
      ? []
      : `the model ${model} was priced by an expression there (${expression}), which does not come: it is without a price of its own here until you set one`
  },
  'tool_price_setting.prices': (tool, price) =>
    `1,000 calls of the tool ${tool} cost $${price} there; the price does not come: here tools cost what the price list of the model says`,
  'payment_setting.amount_discount': (amount, factor) =>
    `a top-up of ${amount} cost ${factor} times its price there; that discount does not come, and users pay the whole price here`,
  StripeUnitPrice: dollars('a dollar of quota by Stripe'),
  CreemProducts: () => 'quota was sold by Creem there, and users cannot pay that way here',
  SelfUseModeEnabled: (_, isOn) =>
    isOn === 'true' ? 'models without a price were served there; here their price is needed first' : [],
}
