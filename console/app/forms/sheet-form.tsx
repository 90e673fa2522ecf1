import { type ReactNode, useCallback, useState } from 'react'
import { type FieldValues, FormProvider, type Path, type UseFormReturn } from 'react-hook-form'
import { Button } from '../../ui/buttons/buttons.tsx'
import { FormErrors } from '../../ui/forms/form-errors.tsx'
import { type PreviousNext, Sheet } from '../../ui/overlays/sheet.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { plainErrorText } from '../api/call.ts'
import { useDirtyGuard } from './dirty-guard.ts'
import { useDraftSaver } from './drafts.ts'

interface SheetFormProps<Values extends FieldValues> {
  readonly form: UseFormReturn<Values>
  /** Fields that can have errors, in their order on the sheet. */
  readonly fields: ReadonlyArray<{ readonly name: Path<Values>; readonly label: string }>
  /** Input is saved under this name, without secrets, when the session expires. */
  readonly draft: { readonly name: string; readonly withoutSecrets?: (values: Values) => Values }
  readonly title: string
  readonly status?: ReactNode
  readonly previousNext?: PreviousNext
  /** Label of the submit button. */
  readonly action: string
  /** Shown at the start of the footer, for example a delete button. */
  readonly aside?: ReactNode
  /** Rejects with the server's error; the sheet shows it and keeps the input. */
  readonly onSave: (values: Values) => Promise<void>
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A sheet with one form: error summary, server error, unsaved-changes guard, ⌘Enter, cancel and submit. */
export function SheetForm<Values extends FieldValues>(props: SheetFormProps<Values>) {
  const { form, fields, draft, title, status, previousNext, action, aside, onSave, onClose, children } = props
  const k = useKitText()
  const [serverError, setRefusal] = useState<string>()
  const { isDirty, errors, submitCount, isSubmitting } = form.formState
  useDirtyGuard(isDirty && !isSubmitting)
  const { name: draftName, withoutSecrets = same } = draft
  useDraftSaver(
    draftName,
    useCallback(
      () => (form.formState.isDirty ? withoutSecrets(form.getValues()) : undefined),
      [form, withoutSecrets],
    ),
  )
  const save = form.handleSubmit(async values => {
    setRefusal(undefined)
    try {
      await onSave(values)
    } catch (error) {
      setRefusal(plainErrorText(error))
    }
  })
  const submit = () => void save()
  const fieldErrors = fields.flatMap(({ name, label }) => {
    const message = form.getFieldState(name, form.formState).error?.message
    return message ? [{ name, label, message }] : []
  })
  return (
    <Sheet
      title={title}
      status={status}
      onClose={onClose}
      onSubmit={submit}
      {...(previousNext ? { previousNext } : {})}
      footer={
        <>
          {aside}
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button variant="primary" isBusy={isSubmitting} onClick={submit}>
            {action}
          </Button>
        </>
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
            attempt={Object.keys(errors).length > 0 || serverError ? submitCount : 0}
            serverError={serverError}
          />
          {children}
          <button type="submit" hidden aria-hidden tabIndex={-1} />
        </form>
      </FormProvider>
    </Sheet>
  )
}

const same = <Values,>(values: Values): Values => values
