import { z } from 'zod'
import { SentFile } from '../../provider-kit/sent-file.ts'

export const sentFile = z.custom<SentFile>(value => value instanceof SentFile, { error: 'a file' })
