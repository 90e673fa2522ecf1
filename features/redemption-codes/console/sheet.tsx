import { useQuery } from '@tanstack/react-query'
import { Power, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useWatch } from 'react-hook-form'
import { LoadError } from '#console/app/api/load-error.tsx'
import { MoneyText, TimeText, useMoney } from '#console/app/format/format.tsx'
import { NumberFormField, QuotaFormField, TextFormField } from '#console/app/forms/form-fields.tsx'
import { useRecordForm } from '#console/app/forms/record-form.ts'
import { SheetForm } from '#console/app/forms/sheet-form.tsx'
import { usePreviousNext } from '#console/app/list/previous-next.ts'
import { SheetSections } from '#console/app/sheet-sections.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { KeyValues } from '#console/ui/data/facts.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { SecretField } from '#console/ui/forms/secret-field.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { Sheet } from '#console/ui/overlays/sheet.tsx'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import { REDEMPTION_NAME_LENGTH_MAX, REDEMPTIONS_AT_ONCE_MAX, type Redemption } from '../contract.ts'
import { useCodeActions } from './actions.tsx'
import { CodeFormValues, codeFormSchema, NEW_CODE, toFormValues, toRedemptionDraft } from './form-schema.ts'
import { codeQuery, useCodeMutations } from './queries.ts'
import { NEW } from './search-params.ts'
import { RedeemerCell, StatusCell } from './table.tsx'
import { useScreenText } from './text.ts'

interface CodeSheetProps {
  /** The id of the code, or `new`. */
  readonly edit: string
  readonly rows: readonly Redemption[]
  readonly onOpen: (edit: string) => void
  readonly onClose: (leavesForm?: boolean) => void
  readonly onCreated: (created: { readonly name: string; readonly codes: readonly string[] }) => void
}

/** The sheet of one code: a form while the code is unused, its details afterwards. Fetches the code when it is not on the listed page. */
export function CodeSheet(props: CodeSheetProps) {
  const { edit, rows, onClose } = props
  const t = useScreenText()
  const isNew = edit === NEW
  const listed = rows.find(row => String(row.id) === edit)
  const fetched = useQuery({ ...codeQuery(Number(edit)), enabled: !isNew && !listed })
  const code = listed ?? fetched.data
  if (isNew) return <CodeForm {...props} />
  if (code?.status === REDEMPTION_STATUS.unused) return <CodeForm {...props} code={code} />
  if (code) return <CodeDetails {...props} code={code} />
  return (
    <Sheet title={t('viewTitle')} onClose={() => onClose()}>
      {fetched.error ? (
        <LoadError error={fetched.error} isBusy={fetched.isFetching} onRetry={() => void fetched.refetch()} />
      ) : (
        <div className="grid gap-6">
          <Skeleton className="h-9 w-full" />
          <Skeleton className="h-9 w-full" />
        </div>
      )}
    </Sheet>
  )
}

/** A used or disabled code, read-only. */
function CodeDetails({ code, rows, onOpen, onClose }: CodeSheetProps & { readonly code: Redemption }) {
  const t = useScreenText()
  const { toggle, confirmDelete } = useCodeActions()
  const previousNext = usePreviousNext(rows, code.id, onOpen)
  const isDisabled = code.status === REDEMPTION_STATUS.disabled
  const remove = async () => {
    if (await confirmDelete(code)) onClose()
  }
  return (
    <Sheet
      title={`${t('viewTitle')} #${code.id}`}
      status={<StatusCell code={code} />}
      previousNext={previousNext}
      onClose={() => onClose()}
      footer={
        <>
          <Button variant="danger-text" icon={Trash2} className="mr-auto" onClick={() => void remove()}>
            {t('delete')}
          </Button>
          {isDisabled && (
            <Button variant="primary" icon={Power} onClick={() => toggle(code)}>
              {t('enable')}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-5">
        <Banner tone="info">{t(isDisabled ? 'viewDisabled' : 'viewUsed')}</Banner>
        <SecretField secret={code.key} label={t('key')} />
        <KeyValues
          items={[
            { label: t('name'), value: code.name },
            { label: t('quota'), value: <MoneyText quota={code.quota} /> },
            { label: t('created'), value: <TimeText unixSeconds={code.created_time} /> },
            {
              label: t('redeemed'),
              value: code.redeemed_time > 0 ? <TimeText unixSeconds={code.redeemed_time} /> : t('never'),
            },
            { label: t('redeemedBy'), value: <RedeemerCell code={code} /> },
          ]}
        />
      </div>
      <SheetSections of="redemption" id={code.id} />
    </Sheet>
  )
}

const DOLLARS = [1, 10, 50, 100, 500, 1000] as const
const COUNTS = [10, 20, 30, 100] as const

interface CodeFormProps extends CodeSheetProps {
  readonly code?: Redemption
}

/** The form of new codes, or of an existing unused code. */
function CodeForm({ edit, code, rows, onOpen, onClose, onCreated }: CodeFormProps) {
  const t = useScreenText()
  const { money } = useMoney()
  const { create, update } = useCodeMutations()
  const { confirmDelete } = useCodeActions()
  const schema = useMemo(() => codeFormSchema(t, code === undefined), [t, code])
  const draft = { name: `redemption-${edit}`, schema: CodeFormValues }
  const form = useRecordForm({
    schema,
    start: code ? toFormValues(code) : NEW_CODE,
    draft,
  })
  const previousNext = usePreviousNext(rows, code?.id ?? 0, onOpen)
  const count = Number(useWatch({ control: form.control, name: 'count' }))

  const send = async (values: CodeFormValues) => {
    const { name, quota } = toRedemptionDraft(values)
    if (code) {
      await update.mutateAsync({ id: code.id, name, quota })
      toast('success', t('updatedToast'))
      return onClose(true)
    }
    const codes = await create.mutateAsync(toRedemptionDraft(values))
    toast('success', t('createdToast'))
    onClose(true)
    onCreated({ name: name || money(quota), codes })
  }
  const remove = async (existing: Redemption) => {
    if (await confirmDelete(existing)) onClose(true)
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
      {...(code ? { previousNext: previousNext } : {})}
      action={code ? t('submitEdit') : count > 1 ? t('submitMany', { count }) : t('submitCreate')}
      aside={
        code && (
          <Button variant="danger-text" icon={Trash2} className="mr-auto" onClick={() => void remove(code)}>
            {t('delete')}
          </Button>
        )
      }
      onSave={send}
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
      {code && <SheetSections of="redemption" id={code.id} />}
    </SheetForm>
  )
}

function CountField() {
  const t = useScreenText()
  const { money } = useMoney()
  const [quota, count] = useWatch<CodeFormValues, ['quota', 'count']>({ name: ['quota', 'count'] })
  const total = Number(quota) * Number(count)
  return (
    <NumberFormField
      name="count"
      label={t('count')}
      help={t('countHelp', { most: REDEMPTIONS_AT_ONCE_MAX })}
      aside={total > 0 ? t('total', { amount: money(total) }) : undefined}
      min={1}
      max={REDEMPTIONS_AT_ONCE_MAX}
      presets={{
        label: t('countPresets'),
        options: COUNTS.map(value => ({ value, label: t('countUnit', { count: value }) })),
      }}
    />
  )
}
