import { z } from 'zod'
import { FormFile } from '../../provider-kit/contract/operations.ts'

export const sentFile = z.custom<FormFile>(value => value instanceof FormFile, { error: 'a file' })
