import { Download } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { downloadText } from '#console/app/list/csv.ts'
import { Button, CopyButton } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Field } from '#console/ui/forms/fields.tsx'
import { NumberInput } from '#console/ui/forms/number-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { CODES_AT_ONCE_MAX, type SoldPlan } from '../../contract/plans.ts'
import { usePlanChanges } from '../queries.ts'
import { useScreenText } from './text.ts'

interface CodesDialogProps {
  readonly plan: SoldPlan
  readonly onClose: () => void
}

/** Creates codes that buy a period of a plan, and shows them once. */
export function CodesDialog({ plan, onClose }: CodesDialogProps) {
  const t = useScreenText()
  const form = useId()
  const [count, setCount] = useState('10')
  const { makeCodes, removeCodes } = usePlanChanges()
  const codes = makeCodes.data
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!makeCodes.isPending) makeCodes.mutate({ id: plan.id, count: Number(count) })
  }
  const removeUnused = () =>
    removeCodes.mutate(plan.id, { onSuccess: () => toast('success', t('codesRemoved')) })
  return (
    <Dialog
      title={t('codesOf', { plan: plan.name })}
      onClose={onClose}
      footer={
        codes ? (
          <CodesFooter name={plan.name} codes={codes} onClose={onClose} />
        ) : (
          <Button type="submit" form={form} variant="primary" isBusy={makeCodes.isPending}>
            {t('makeCodes')}
          </Button>
        )
      }
    >
      {codes ? (
        <CodeList codes={codes} />
      ) : (
        <form id={form} noValidate className="grid gap-4" onSubmit={submit}>
          {makeCodes.error && (
            <Banner tone="danger" isAlert>
              {plainErrorText(makeCodes.error)}
            </Banner>
          )}
          <p className="text-muted">{t('codesText')}</p>
          <Field label={t('codeCount')}>
            {control => (
              <NumberInput {...control} min={1} max={CODES_AT_ONCE_MAX} value={count} onChange={setCount} />
            )}
          </Field>
          {plan.unused_codes > 0 && (
            <p className="flex flex-wrap items-center gap-2 text-small text-muted">
              {t('unusedCodes', { count: plan.unused_codes })}
              <Button
                size="small"
                variant="danger-text"
                isBusy={removeCodes.isPending}
                onClick={removeUnused}
              >
                {t('removeCodes')}
              </Button>
            </p>
          )}
        </form>
      )}
    </Dialog>
  )
}

const CodeList = ({ codes }: { readonly codes: readonly string[] }) => {
  const t = useScreenText()
  return (
    <>
      <p className="mb-4 text-muted">{t('codesOnce')}</p>
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable box must be reachable by keyboard
        tabIndex={0}
        aria-label={t('codes')}
        className="max-h-64 divide-y divide-line overflow-y-auto rounded-card border border-line"
      >
        {codes.map(code => (
          <li key={code} className="px-3 py-1.5 font-mono text-caption break-all">
            {code}
          </li>
        ))}
      </ul>
    </>
  )
}

interface CodesFooterProps {
  readonly name: string
  readonly codes: readonly string[]
  readonly onClose: () => void
}

function CodesFooter({ name, codes, onClose }: CodesFooterProps) {
  const t = useScreenText()
  const lines = codes.join('\n')
  return (
    <>
      <CopyButton text={lines} label={t('copyCodes')} buttonText={t('copyCodes')} size="normal" />
      <Button icon={Download} onClick={() => downloadText(`${name}.txt`, `${lines}\n`)}>
        {t('downloadCodes')}
      </Button>
      <Button variant="primary" onClick={onClose}>
        {t('codesDone')}
      </Button>
    </>
  )
}
