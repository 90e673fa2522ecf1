import { asArray, asObject, asString } from '../../provider-kit/json.ts'
import { balanceEndpoint } from '../../provider-kit/openai-compatible/balance.ts'

/** An account holds one currency or two; the one in yuan counts first. Amounts are texts. */
export const balance = balanceEndpoint({
  path: '/user/balance',
  read(json) {
    const accounts = asArray(json.balance_infos).map(asObject)
    const account = accounts.find(({ currency }) => currency === 'CNY') ?? accounts[0]
    const amount = asString(account?.total_balance)
    const currency = asString(account?.currency)
    return amount && currency ? { amount: Number(amount), currency } : undefined
  },
})
