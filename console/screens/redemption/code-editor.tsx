import { Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import {
  REDEMPTION_NAME_LENGTH_MAX,
  REDEMPTIONS_AT_ONCE_MAX,
  type Redemption,
} from '#contract/redemptions.ts'
import { NumberFormField, QuotaFormField, TextFormField } from '../../app/form-fields.tsx'
import { useNeighbours } from '../../app/neighbours.ts'
import { SheetForm } from '../../app/sheet-form.tsx'
import { useMoney } from '../../app/use-money.ts'
import { useRecordForm } from '../../app/use-record-form.ts'
import { Button } from '../../ui/button.tsx'
import { SecretField } from '../../ui/secret-field.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { StatusCell } from './code-cells.tsx'
import { CodeFormValues, codeFormSchema, draftOf, NEW_CODE, valuesOf } from './code-form-values.ts'
import { useCodeWrites } from './queries.ts'
import type { CodeSheetProps } from './sheet-props.ts'
import { text } from './text.ts'
import { useCodeActions } from './use-code-actions.tsx'

const DOLLARS = [1, 10, 50, 100, 500, 1000] as const
const COUNTS = [10, 20, 30, 100] as const

interface CodeEditorProps extends CodeSheetProps {
  readonly code?: Redemption
}

/** The form of new codes, or of one that is unused. */
export function CodeEditor({ edit, code, rows, onOpen, onClose, onCreated }: CodeEditorProps) {
  const t = useText(text)
  const { money } = useMoney()
  const { create, update } = useCodeWrites()
  const { askDelete } = useCodeActions()
  const schema = useMemo(() => codeFormSchema(t, code === undefined), [t, code])
  const draft = { name: `redemption-${edit}`, schema: CodeFormValues }
  const form = useRecordForm({
    schema,
    start: code ? valuesOf(code) : NEW_CODE,
    draft,
  })
  const neighbours = useNeighbours(rows, code?.id ?? 0, onOpen)
  const count = Number(useWatch({ control: form.control, name: 'count' }))

  const send = async (values: CodeFormValues) => {
    const { name, quota } = draftOf(values)
    if (code) {
      await update.mutateAsync({ id: code.id, name, quota })
      toast('success', t('updatedToast'))
      return onClose(true)
    }
    const codes = await create.mutateAsync(draftOf(values))
    toast('success', t('createdToast'))
    onClose(true)
    onCreated({ name: name || money(quota), codes })
  }
  const remove = async (doomed: Redemption) => {
    if (await askDelete(doomed)) onClose(true)
  }

  return (
    <SheetForm
      form={form}
      fields={[
        { name: 'name', label: t('name') },
        { name: 'quota', label: t('quota') },
        { name: 'count', label: t('count') },
      ]}
      draft={draft}
      title={code ? `${t('editTitle')} #${code.id}` : t('createTitle')}
      status={code && <StatusCell code={code} />}
      {...(code ? { neighbours } : {})}
      action={code ? t('submitEdit') : count > 1 ? t('submitMany', { count }) : t('submitCreate')}
      aside={
        code && (
          <Button look="danger-text" icon={Trash2} className="mr-auto" onClick={() => void remove(code)}>
            {t('delete')}
          </Button>
        )
      }
      send={send}
      onClose={() => onClose()}
    >
      <div className="grid gap-5">
        {code && (
          <div className="grid gap-1.5">
            <span className="text-small font-medium">{t('key')}</span>
            <SecretField secret={code.key} label={t('key')} />
          </div>
        )}
        <TextFormField
          name="name"
          label={t('name')}
          help={t('nameHelp')}
          maxLength={REDEMPTION_NAME_LENGTH_MAX * 2}
          placeholder={t('namePlaceholder')}
        />
        <QuotaFormField
          name="quota"
          label={t('quota')}
          help={t('quotaHelp')}
          presets={{ label: t('quotaPresets'), dollars: DOLLARS }}
        />
        {!code && <CountField />}
      </div>
    </SheetForm>
  )
}

function CountField() {
  const t = useText(text)
  const { money } = useMoney()
  const [quota, count] = useWatch<CodeFormValues, ['quota', 'count']>({ name: ['quota', 'count'] })
  const worth = Number(quota) * Number(count)
  return (
    <NumberFormField
      name="count"
      label={t('count')}
      help={t('countHelp', { most: REDEMPTIONS_AT_ONCE_MAX })}
      aside={worth > 0 ? t('worth', { amount: money(worth) }) : undefined}
      min={1}
      max={REDEMPTIONS_AT_ONCE_MAX}
      presets={{
        label: t('countPresets'),
        options: COUNTS.map(value => ({ value, label: t('countUnit', { count: value }) })),
      }}
    />
  )
}
