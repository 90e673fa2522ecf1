import { listOf, objectOf, textOf } from '../../provider-kit/json.ts'
import { accountBalance } from '../../provider-kit/openai-compatible/account-balance.ts'

/** An account holds one currency or two; the one in yuan counts first. Amounts are texts. */
export const balance = accountBalance({
  path: '/user/balance',
  read(json) {
    const accounts = listOf(json.balance_infos).map(objectOf)
    const account = accounts.find(({ currency }) => currency === 'CNY') ?? accounts[0]
    const amount = textOf(account?.total_balance)
    const currency = textOf(account?.currency)
    return amount && currency ? { amount: Number(amount), currency } : undefined
  },
})
