import { type FormEvent, useState } from 'react'
import { CallError, errorText } from '../../app/api/call.ts'
import { useStatus } from '../../app/api/status.ts'
import { useMoney } from '../../app/format/format.tsx'
import { Button } from '../../ui/buttons/buttons.tsx'
import { buttonClasses } from '../../ui/class-names.ts'
import { Field, TextInput } from '../../ui/forms/fields.tsx'
import { toast } from '../../ui/overlays/messages.tsx'
import { Panel } from './panel.tsx'
import { useWalletMutations } from './queries.ts'
import { useScreenText } from './text.ts'

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
      const quota = await redeemCode.mutateAsync(key)
      toast('success', t('redeemed', { amount: money(quota) }))
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
          <Field label={t('code')} error={problem}>
            {control => (
              <TextInput
                {...control}
                isMono
                placeholder={t('codePlaceholder')}
                value={code}
                onChange={event => setCode(event.target.value)}
              />
            )}
          </Field>
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
