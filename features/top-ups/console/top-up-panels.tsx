import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleOff } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { CallError, errorText, plainErrorText } from '#console/app/api/call.ts'
import { isStatusKnown, useStatus } from '#console/app/api/status.ts'
import { formatMoney, formatNumber, useMoney } from '#console/app/format/format.tsx'
import { hasRole, useUser } from '#console/app/session/session.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { buttonClasses } from '#console/ui/class-names.ts'
import { Skeleton } from '#console/ui/feedback/feedback.tsx'
import { InputField } from '#console/ui/forms/labelled-inputs.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { type AmountRules, amountRules, formatYuan, parseAmount, quotedRatio } from './amount.ts'
import { Panel } from './panel.tsx'
import { type PaymentMethod, type Purchase, quoteQuery, useWalletMutations } from './queries.ts'
import { useScreenText } from './text.ts'

const TYPING_PAUSE_MS = 300

const METHODS: ReadonlyArray<readonly [PaymentMethod, 'alipay' | 'wechat', string]> = [
  ['zfb', 'alipay', 'bg-series-8'],
  ['wx', 'wechat', 'bg-series-3'],
]

/** Online top-up: an amount, its price, and the payment methods. */
export function PayPanel({ onPay }: { readonly onPay: (purchase: Purchase) => void }) {
  const t = useScreenText()
  const status = useStatus()
  const isRoot = hasRole(useUser(), 'root')
  if (!isStatusKnown(status)) {
    return (
      <Panel title={t('topUp')}>
        <Skeleton className="h-56 w-full" />
      </Panel>
    )
  }
  if (!status.enable_online_topup) {
    return (
      <Panel title={t('topUp')}>
        <div className="flex items-start gap-3 text-muted">
          <CircleOff size={18} aria-hidden className="mt-px shrink-0" />
          <div>
            <p className="font-medium text-fg">{t(isRoot ? 'topUpOffHere' : 'topUpOff')}</p>
            <p className="mt-0.5 text-small">
              {isRoot ? (
                <Link
                  to="/setting"
                  search={{ tab: 'system', section: 'payment' }}
                  className="text-accent hover:underline"
                >
                  {t('setUpPayment')}
                </Link>
              ) : (
                t('topUpOffHelp')
              )}
            </p>
          </div>
        </div>
      </Panel>
    )
  }
  return (
    <Panel title={t('topUp')}>
      <AmountForm rules={amountRules(status)} onPay={onPay} />
    </Panel>
  )
}

interface AmountFormProps {
  readonly rules: AmountRules
  readonly onPay: (purchase: Purchase) => void
}

function AmountForm({ rules, onPay }: AmountFormProps) {
  const t = useScreenText()
  const { isInCurrency, language } = useMoney()
  const [typed, setTyped] = useState(String(rules.presets[0] ?? rules.minimum))
  const [isSubmitted, setSubmitted] = useState(false)
  const debounced = useDebounced(typed)
  const amount = parseAmount(debounced)
  const isEnough = amount !== undefined && amount >= rules.minimum
  const quote = useQuery({ ...quoteQuery(amount ?? 0), enabled: isEnough })
  const quoted = quote.data && isEnough ? quotedRatio(Number(quote.data), amount, rules) : undefined
  const [ratio, setRatio] = useState(quoted)
  if (quoted !== undefined && quoted !== ratio) setRatio(quoted)
  const minimum = isInCurrency ? `$${rules.minimum}` : formatNumber(rules.minimum, language)
  const problem = problemOf(typed)

  function problemOf(value: string): string | undefined {
    const typedAmount = parseAmount(value)
    if (typedAmount === undefined) return isSubmitted ? t('amountNumber') : undefined
    if (typedAmount < rules.minimum) return t('amountTooLow', { minimum })
    return quote.error ? plainErrorText(quote.error) : undefined
  }
  const pay = (method: PaymentMethod) => {
    setSubmitted(true)
    const typedAmount = parseAmount(typed)
    if (typedAmount !== undefined && typedAmount >= rules.minimum) onPay({ amount: typedAmount, method })
  }
  return (
    <div className="grid gap-5">
      <AmountCards rules={rules} ratio={ratio} value={parseAmount(typed)} onPick={setTyped} />
      <div className="grid gap-5 sm:grid-cols-[minmax(0,14rem)_1fr]">
        <InputField
          label={t('amount')}
          help={t('amountHelp', { minimum })}
          error={problem}
          inputMode="numeric"
          className="tabular"
          suffix={t(isInCurrency ? 'amountDollars' : 'amountUnits')}
          value={typed}
          onChange={event => setTyped(event.target.value)}
          onBlur={() => setTyped(String(parseAmount(typed) ?? typed))}
        />
        <Payable isKnown={isEnough && !quote.error} money={quote.data} ratio={ratio} />
      </div>
      <fieldset className="grid gap-2">
        <legend className="mb-2 text-small font-medium">{t('method')}</legend>
        <div className="flex flex-wrap gap-2">
          {METHODS.map(([method, name, colour]) => (
            <Button
              key={method}
              size="large"
              className="min-w-36 flex-1 sm:flex-none"
              onClick={() => pay(method)}
            >
              <span className="flex items-center gap-2">
                <span aria-hidden className={`size-2.5 rounded-full ${colour}`} />
                {t(name)}
              </span>
            </Button>
          ))}
        </div>
      </fieldset>
    </div>
  )
}

interface PayableProps {
  /** False when the typed amount has no price. */
  readonly isKnown: boolean
  /** Undefined while the price is loading. */
  readonly money: string | undefined
  readonly ratio: number | undefined
}

function Payable({ isKnown, money, ratio }: PayableProps) {
  const t = useScreenText()
  return (
    <div aria-live="polite">
      <p className="text-small font-medium">{t('payable')}</p>
      <p className="mt-1 text-title font-semibold tabular">
        {!isKnown ? '-' : money ? `¥${money}` : <Skeleton className="h-7 w-24" />}
      </p>
      {ratio !== undefined && ratio !== 1 && (
        <p className="text-caption text-muted">{t('groupRatio', { ratio })}</p>
      )}
    </div>
  )
}

/** The value once typing has paused, so that not every keystroke requests a price. */
function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return debounced
}

interface AmountCardsProps {
  readonly rules: AmountRules
  /** Top-up ratio of the group; undefined until a price has been quoted. */
  readonly ratio: number | undefined
  readonly value: number | undefined
  readonly onPick: (amount: string) => void
}

function AmountCards({ rules, ratio, value, onPick }: AmountCardsProps): ReactNode {
  const t = useScreenText()
  const { isInCurrency, quotaPerUnit, language } = useMoney()
  const formatAmount = (amount: number) =>
    isInCurrency
      ? `$${formatNumber(amount, language)}`
      : formatMoney(amount, { isInCurrency, quotaPerUnit, language })
  return (
    <fieldset>
      <legend className="sr-only">{t('presets')}</legend>
      <div className="grid grid-cols-2 gap-2 min-[360px]:grid-cols-3 sm:grid-cols-[repeat(auto-fit,minmax(5.5rem,1fr))]">
        {rules.presets.map(amount => (
          <label
            key={amount}
            className="grid cursor-pointer place-items-center gap-0.5 rounded-card border border-line-strong bg-surface px-2 py-3 text-center hover:bg-hover has-checked:border-primary has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring"
          >
            <input
              type="radio"
              name="amount"
              className="sr-only"
              checked={value === amount}
              onChange={() => onPick(String(amount))}
            />
            <span className="font-semibold tabular">{formatAmount(amount)}</span>
            <span className="text-caption text-muted tabular">
              {ratio === undefined ? '-' : formatYuan(amount * rules.price * ratio)}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** Redeems a code. */
export function RedeemPanel() {
  const t = useScreenText()
  const { money } = useMoney()
  const { redeemCode } = useWalletMutations()
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const key = code.trim()
    if (key === '') return setProblem(t('codeNeeded'))
    setProblem(undefined)
    try {
      const redeemed = await redeemCode.mutateAsync(key)
      const amount = 'plan' in redeemed ? redeemed.plan : money(redeemed.quota)
      toast('success', t('redeemed', { amount }))
      setCode('')
    } catch (error) {
      const isRefused = error instanceof CallError && error.failure === 'refused'
      setProblem(isRefused ? error.message : `${t('redeemFailed')} · ${errorText(error)}`)
    }
  }
  return (
    <Panel title={t('redeem')} aside={<GetCodeLink />}>
      <form noValidate className="flex items-start gap-2" onSubmit={event => void submit(event)}>
        <div className="min-w-0 flex-1">
          <InputField
            label={t('code')}
            error={problem}
            isMono
            placeholder={t('codePlaceholder')}
            value={code}
            onChange={event => setCode(event.target.value)}
          />
        </div>
        <Button type="submit" variant="primary" isBusy={redeemCode.isPending} className="mt-6.5 coarse:h-11">
          {t('redeemSubmit')}
        </Button>
      </form>
    </Panel>
  )
}

function GetCodeLink() {
  const t = useScreenText()
  const { top_up_link: link } = useStatus()
  if (link === '') {
    return (
      <Button variant="link" size="small" className="-mr-2.5" onClick={() => toast('error', t('noLink'))}>
        {t('getCode')}
      </Button>
    )
  }
  return (
    <a
      href={link}
      target="_blank"
      rel="noopener noreferrer"
      className={`${buttonClasses('link', 'small')} -mr-2.5`}
    >
      {t('getCode')}
    </a>
  )
}
