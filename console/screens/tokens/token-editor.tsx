import { useCallback, useMemo, useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import type { Token } from '#contract/tokens.ts'
import { plainErrorText } from '../../app/call-error.ts'
import { useDirtyGuard } from '../../app/dirty-guard.ts'
import { useDraft, useDraftKeeper } from '../../app/drafts.ts'
import { formResolver } from '../../app/form-resolver.ts'
import { useNeighbours } from '../../app/neighbours.ts'
import { nowSeconds } from '../../app/time.ts'
import { FormErrors } from '../../ui/form-errors.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { draftsOf } from './batch.ts'
import { BatchReport } from './batch-report.tsx'
import { EditorFooter } from './editor-footer.tsx'
import { useTokenWrites } from './queries.ts'
import { NEW } from './search.ts'
import type { TokenSheetProps } from './sheet-props.ts'
import { text } from './text.ts'
import { StatusCell } from './token-cells.tsx'
import { TokenFields } from './token-fields.tsx'
import {
  changeOf,
  draftOf,
  NEW_TOKEN,
  TokenDraftValues,
  type TokenFormValues,
  tokenFormSchema,
  valuesOf,
} from './token-form-values.ts'
import { useBatch } from './use-batch.ts'

interface TokenEditorProps extends TokenSheetProps {
  readonly token?: Token
}

/** The fields that can be wrong, in their order on the sheet. */
const FIELDS = [
  { name: 'name', label: 'name' },
  { name: 'expiry', label: 'expires' },
  { name: 'quota', label: 'quota' },
  { name: 'count', label: 'count' },
  { name: 'models', label: 'allowedModels' },
  { name: 'addresses', label: 'allowIps' },
  { name: 'concurrency', label: 'concurrency' },
  { name: 'perMinute', label: 'perMinute' },
] as const

/** The form of a new or an existing token. */
export function TokenEditor({ edit, token, rows, onOpen, onClose, onCreated }: TokenEditorProps) {
  const t = useText(text)
  const isNew = edit === NEW
  const { update } = useTokenWrites()
  const schema = useMemo(() => tokenFormSchema(t), [t])
  const draftName = `token-${edit}`
  const draft = TokenDraftValues.safeParse(useDraft(draftName)).data
  const [shown] = useState(() => startOf(isNew, token))
  const form = useForm<TokenFormValues>({
    mode: 'onTouched',
    shouldFocusError: false,
    defaultValues: shown,
    resolver: formResolver(schema),
    ...(draft ? { values: draft, resetOptions: { keepDefaultValues: true } } : {}),
  })
  useDraftKeeper(
    draftName,
    useCallback(() => (form.formState.isDirty ? form.getValues() : undefined), [form]),
  )
  const { isDirty, errors, submitCount, isSubmitting } = form.formState
  const [refusal, setRefusal] = useState<string>()
  const batch = useBatch(tokens => {
    toast('success', t('createdToast'))
    onClose(true)
    onCreated(tokens)
  })
  useDirtyGuard(isDirty && !isSubmitting && batch.made.length === 0)

  const save = form.handleSubmit(async values => {
    setRefusal(undefined)
    if (isNew) return batch.run(draftsOf(draftOf(values), Number(values.count)))
    try {
      await update.mutateAsync(changeOf(Number(edit), values, shown))
      toast('success', t('updatedToast'))
      onClose(true)
    } catch (error) {
      setRefusal(plainErrorText(error))
    }
  })
  const submit = () => void save()
  const neighbours = useNeighbours(rows, Number(edit), onOpen)

  const wrong = FIELDS.flatMap(({ name, label }) => {
    const message = form.getFieldState(name, form.formState).error?.message
    return message ? [{ name, label: t(label), message }] : []
  })

  return (
    <Sheet
      title={isNew ? t('createTitle') : `${t('editTitle')} #${edit}`}
      status={!isNew && token && <StatusCell token={token} />}
      onClose={() => onClose()}
      onSubmit={submit}
      {...(isNew ? {} : { neighbours })}
      footer={
        <EditorFooter
          token={isNew ? undefined : token}
          batch={batch}
          form={form}
          onCancel={() => onClose()}
          onSubmit={submit}
          onDeleted={() => onClose(true)}
        />
      }
    >
      <FormProvider {...form}>
        <form
          noValidate
          onSubmit={event => {
            event.preventDefault()
            submit()
          }}
        >
          <FormErrors
            errors={wrong}
            attempt={Object.keys(errors).length > 0 || refusal ? submitCount : 0}
            refusal={refusal}
          />
          <BatchReport batch={batch} />
          <fieldset disabled={batch.isRunning || batch.failed.length > 0} className="contents">
            <TokenFields isNew={isNew} now={nowSeconds} />
          </fieldset>
          <button type="submit" hidden aria-hidden tabIndex={-1} />
        </form>
      </FormProvider>
    </Sheet>
  )
}

function startOf(isNew: boolean, token: Token | undefined): TokenFormValues {
  if (!token) return NEW_TOKEN
  const values = valuesOf(token)
  return isNew ? { ...values, name: '' } : values
}
