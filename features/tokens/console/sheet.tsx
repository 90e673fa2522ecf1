import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { FormProvider, type UseFormReturn, useWatch } from 'react-hook-form'
import { plainErrorText } from '#console/app/api/call.ts'
import { LoadError } from '#console/app/api/load-error.tsx'
import { nowSeconds } from '#console/app/format/format.tsx'
import { useDirtyGuard } from '#console/app/forms/dirty-guard.ts'
import { useDraftSaver } from '#console/app/forms/drafts.ts'
import { useRecordForm } from '#console/app/forms/record-form.ts'
import { usePreviousNext } from '#console/app/list/previous-next.ts'
import { SheetSections } from '#console/app/sheet-sections.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { FormErrors } from '#console/ui/forms/form-errors.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { Sheet } from '#console/ui/overlays/sheet.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import type { Token } from '#contract/entities/token.ts'
import { type Batch, batchDrafts, useBatch } from './batch.ts'
import { TokenFormFields } from './form.tsx'
import {
  NEW_TOKEN,
  TokenFormValues,
  toFormValues,
  tokenFormSchema,
  toTokenChange,
  toTokenDraft,
} from './form-schema.ts'
import { tokenQuery, useTokenMutations } from './queries.ts'
import { NEW } from './search-params.ts'
import { StatusCell } from './table.tsx'
import { useScreenText } from './text.ts'

interface TokenSheetProps {
  /** The id of the token, or `new`. */
  readonly edit: string
  /** The id of the token whose settings a new one copies; empty for none. */
  readonly from: string
  readonly rows: readonly Token[]
  readonly onOpen: (edit: string) => void
  readonly onClose: (leavesForm?: boolean) => void
  readonly onCreated: (tokens: readonly Token[]) => void
}

/** The sheet of one token. Fetches the token when it is not on the listed page. */
export function TokenSheet(props: TokenSheetProps) {
  const { edit, from, rows, onClose } = props
  const t = useScreenText()
  const isNew = edit === NEW
  const sourceId = Number(isNew ? from : edit)
  const listed = rows.find(token => token.id === sourceId)
  const needsFetch = sourceId > 0 && !listed
  const fetched = useQuery({ ...tokenQuery(sourceId), enabled: needsFetch })
  const token = listed ?? fetched.data
  if (needsFetch && !token) {
    return (
      <Sheet title={t(isNew ? 'createTitle' : 'editTitle')} onClose={onClose}>
        {fetched.error ? (
          <LoadError
            error={fetched.error}
            isBusy={fetched.isFetching}
            onRetry={() => void fetched.refetch()}
          />
        ) : (
          <FormSkeleton />
        )}
      </Sheet>
    )
  }
  return <TokenForm key={edit} {...props} {...(token ? { token } : {})} />
}

const FormSkeleton = () => (
  <div className="grid gap-6">
    {['name', 'group', 'expired_time', 'remain_quota'].map(field => (
      <div key={field} className="grid gap-2">
        <Skeleton className="h-4 w-24" />
        <Skeleton className="h-9 w-full" />
      </div>
    ))}
  </div>
)

interface TokenFormProps extends TokenSheetProps {
  readonly token?: Token
}

/** The form of a new or an existing token. */
function TokenForm({ edit, token, rows, onOpen, onClose, onCreated }: TokenFormProps) {
  const t = useScreenText()
  const isNew = edit === NEW
  const { update } = useTokenMutations()
  const schema = useMemo(() => tokenFormSchema(t), [t])
  const draft = { name: `token-${edit}`, schema: TokenFormValues }
  const [initial] = useState(() => initialValues(isNew, token))
  const form = useRecordForm({ schema, start: initial, draft })
  useDraftSaver(
    draft.name,
    useCallback(() => (form.formState.isDirty ? form.getValues() : undefined), [form]),
  )
  const { isDirty, errors, submitCount, isSubmitting } = form.formState
  const [saveError, setSaveError] = useState<string>()
  const batch = useBatch(tokens => {
    toast('success', t('createdToast'))
    onClose(true)
    onCreated(tokens)
  })
  useDirtyGuard(isDirty && !isSubmitting && batch.created.length === 0)

  const save = form.handleSubmit(async values => {
    setSaveError(undefined)
    if (isNew) return batch.run(batchDrafts(toTokenDraft(values), Number(values.count)))
    try {
      await update.mutateAsync(toTokenChange(Number(edit), values, initial))
      toast('success', t('updatedToast'))
      onClose(true)
    } catch (error) {
      setSaveError(plainErrorText(error))
    }
  })
  const submit = () => void save()
  const previousNext = usePreviousNext(rows, Number(edit), onOpen)

  const fieldErrors = TokenFormValues.keyof().options.flatMap(name => {
    const message = form.getFieldState(name, form.formState).error?.message
    return message ? [{ name, label: t(name), message }] : []
  })

  return (
    <Sheet
      title={isNew ? t('createTitle') : `${t('editTitle')} #${edit}`}
      status={!isNew && token && <StatusCell token={token} />}
      onClose={() => onClose()}
      onSubmit={submit}
      {...(isNew ? {} : { previousNext })}
      footer={
        <FormFooter
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
            errors={fieldErrors}
            attempt={Object.keys(errors).length > 0 || saveError ? submitCount : 0}
            serverError={saveError}
          />
          <BatchReport batch={batch} />
          <fieldset disabled={batch.isRunning || batch.failed.length > 0} className="contents">
            <TokenFormFields isNew={isNew} now={nowSeconds} />
          </fieldset>
          <button type="submit" hidden aria-hidden tabIndex={-1} />
        </form>
      </FormProvider>
      {!isNew && <SheetSections of="token" id={Number(edit)} />}
    </Sheet>
  )
}

function initialValues(isNew: boolean, token: Token | undefined): TokenFormValues {
  if (!token) return NEW_TOKEN
  const values = toFormValues(token)
  return isNew ? { ...values, name: '' } : values
}

/** The progress of a batch, or the tokens of it that could not be created. */
function BatchReport({ batch }: { readonly batch: Batch }) {
  const t = useScreenText()
  const { isRunning, done, count, created, failed } = batch
  const [first] = failed
  if (isRunning && count > 1) {
    return (
      <p role="status" className="mb-5 rounded-card bg-info-bg px-4 py-2.5 text-info tabular">
        {t('creating', { done, count })}
      </p>
    )
  }
  if (!first) return null
  return (
    <div className="mb-5">
      <Banner tone="danger" isAlert>
        <p>{t('someFailed', { failed: failed.length, reason: plainErrorText(first.error) })}</p>
        <ul className="mt-1 list-disc pl-4 text-small">
          {failed.map(({ draft }) => (
            <li key={draft.name}>{draft.name}</li>
          ))}
        </ul>
        <div className="mt-2 flex flex-wrap gap-2">
          <Button size="small" onClick={() => void batch.retry()}>
            {t('retryFailed', { count: failed.length })}
          </Button>
          {created.length > 0 && (
            <Button size="small" onClick={batch.keep}>
              {t('keepCreated', { count: created.length })}
            </Button>
          )}
        </div>
      </Banner>
    </div>
  )
}

interface FormFooterProps {
  /** Undefined for a new token. */
  readonly token: Token | undefined
  readonly batch: Batch
  readonly form: UseFormReturn<TokenFormValues>
  readonly onCancel: () => void
  readonly onSubmit: () => void
  readonly onDeleted: () => void
}

function FormFooter({ token, batch, form, onCancel, onSubmit, onDeleted }: FormFooterProps) {
  const t = useScreenText()
  const k = useKitText()
  const { remove } = useTokenMutations()
  const count = Number(useWatch({ control: form.control, name: 'count' }))
  const confirmDelete = async (existing: Token) => {
    const question = { title: t('deleteTitle', { name: existing.name }), text: t('deleteText') }
    if (!(await confirm({ ...question, action: t('delete'), isDanger: true }))) return
    await remove.mutateAsync(existing.id)
    toast('success', t('deletedToast', { name: existing.name }))
    onDeleted()
  }
  const label = token ? t('submitEdit') : count > 1 ? t('submitMany', { count }) : t('submitCreate')
  return (
    <>
      {token && (
        <Button
          variant="danger-text"
          icon={Trash2}
          className="mr-auto"
          onClick={() => void confirmDelete(token)}
        >
          {t('delete')}
        </Button>
      )}
      <Button onClick={onCancel}>{k('cancel')}</Button>
      <Button
        variant="primary"
        disabled={batch.failed.length > 0}
        isBusy={form.formState.isSubmitting || batch.isRunning}
        onClick={onSubmit}
      >
        {label}
      </Button>
    </>
  )
}
