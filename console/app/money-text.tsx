import { useMasked } from './mask.ts'
import { formatNumber } from './money.ts'
import { useMoney } from './use-money.ts'

/** An amount; its six digits and the raw quota on hover. */
export function MoneyText({ quota }: { readonly quota: number }) {
  const { money, exact, language } = useMoney()
  const isMasked = useMasked()
  return (
    <span
      className="tabular"
      title={isMasked ? undefined : `${exact(quota)} · ${formatNumber(quota, language)}`}
    >
      {money(quota)}
    </span>
  )
}
