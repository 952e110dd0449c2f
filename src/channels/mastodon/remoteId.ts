import { z } from 'zod';

/** An id that the API gives; some of the family give numbers. */
export const remoteId = z.union([z.string().min(1), z.number()]).transform(id => String(id));
