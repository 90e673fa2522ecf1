import { type ReactNode, useCallback, useState } from 'react'
import { type FieldValues, FormProvider, type Path, type UseFormReturn } from 'react-hook-form'
import { Button } from '../../ui/buttons/button.tsx'
import { FormErrors } from '../../ui/forms/field.tsx'
import { Sheet, type SheetNeighbours } from '../../ui/overlays/sheet.tsx'
import { useKitText } from '../../ui/text/kit-text.ts'
import { plainErrorText } from '../api/call.ts'
import { useDirtyGuard } from './dirty-guard.ts'
import { useDraftKeeper } from './drafts.ts'

interface SheetFormProps<Values extends FieldValues> {
  readonly form: UseFormReturn<Values>
  /** Those that can be wrong, in their order on the sheet. */
  readonly fields: ReadonlyArray<{ readonly name: Path<Values>; readonly label: string }>
  /** What stands in the form is kept under this name when the session ends, without its secrets. */
  readonly draft: { readonly name: string; readonly withoutSecrets?: (values: Values) => Values }
  readonly title: string
  readonly status?: ReactNode
  readonly neighbours?: SheetNeighbours
  /** The words on the button. */
  readonly action: string
  /** Stands at the left end of the footer: delete. */
  readonly aside?: ReactNode
  /** Throws what the server refused; the sheet shows it and keeps what was typed. */
  readonly send: (values: Values) => Promise<void>
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A sheet that is one form: summary of what is wrong, refusal, dirty guard, ⌘Enter, and its two buttons. */
export function SheetForm<Values extends FieldValues>(props: SheetFormProps<Values>) {
  const { form, fields, draft, title, status, neighbours, action, aside, send, onClose, children } = props
  const k = useKitText()
  const [refusal, setRefusal] = useState<string>()
  const { isDirty, errors, submitCount, isSubmitting } = form.formState
  useDirtyGuard(isDirty && !isSubmitting)
  const { name: draftName, withoutSecrets = same } = draft
  useDraftKeeper(
    draftName,
    useCallback(
      () => (form.formState.isDirty ? withoutSecrets(form.getValues()) : undefined),
      [form, withoutSecrets],
    ),
  )
  const save = form.handleSubmit(async values => {
    setRefusal(undefined)
    try {
      await send(values)
    } catch (error) {
      setRefusal(plainErrorText(error))
    }
  })
  const submit = () => void save()
  const wrong = fields.flatMap(({ name, label }) => {
    const message = form.getFieldState(name, form.formState).error?.message
    return message ? [{ name, label, message }] : []
  })
  return (
    <Sheet
      title={title}
      status={status}
      onClose={onClose}
      onSubmit={submit}
      {...(neighbours ? { neighbours } : {})}
      footer={
        <>
          {aside}
          <Button onClick={onClose}>{k('cancel')}</Button>
          <Button look="primary" isBusy={isSubmitting} onClick={submit}>
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
            errors={wrong}
            attempt={Object.keys(errors).length > 0 || refusal ? submitCount : 0}
            refusal={refusal}
          />
          {children}
          <button type="submit" hidden aria-hidden tabIndex={-1} />
        </form>
      </FormProvider>
    </Sheet>
  )
}

const same = <Values,>(values: Values): Values => values
