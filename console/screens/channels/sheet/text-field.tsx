import type { HTMLAttributes, ReactNode } from 'react'
import { TextInput } from '../../../ui/text-input.tsx'
import { type ChannelFormState, FormField } from './form-field.tsx'

interface TextFieldProps {
  readonly form: ChannelFormState
  readonly name: 'name' | 'base_url' | 'other' | 'openai_organization'
  readonly label: string
  readonly help?: ReactNode
  readonly isRequired?: boolean
  readonly isMono?: boolean
  readonly placeholder?: string | undefined
  readonly inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
}

/** A field of the channel form that is one line of text. */
export function TextField({ isMono = false, placeholder, inputMode, ...field }: TextFieldProps) {
  return (
    <FormField {...field}>
      {({ value, onChange, onBlur }, control) => (
        <TextInput
          {...control}
          isMono={isMono}
          inputMode={inputMode}
          value={value}
          placeholder={placeholder}
          onChange={event => onChange(event.target.value)}
          onBlur={onBlur}
        />
      )}
    </FormField>
  )
}
