import { filledSections } from '#console/app/filled-slots.ts'

export const accountSections = filledSections('account')
