import { featuresOf } from '../compose/features.ts'
import { migrationsOf } from '../compose/migrations.ts'
import { loadFeatures } from '../compose/modules.ts'

/** The migrations of the program, for tests and benchmarks that open databases by hand. */
export const migrations = migrationsOf(featuresOf(await loadFeatures()))
