import * as z from "zod";

type Extend<Base extends z.ZodRawShape, More extends z.ZodRawShape> = z.core.util.Extend<
  Base,
  z.core.util.Writeable<More>
>;

/** The schema of a message with a literal `type`, the fields of its family, and its own. */
type TypedSchema<
  Type extends string,
  Base extends z.ZodRawShape,
  Shape extends z.ZodRawShape,
> = z.ZodObject<Extend<Extend<{ type: z.ZodLiteral<Type> }, Base>, Shape>>;

export interface SchemaMaker<Base extends z.ZodRawShape> {
  <const Type extends string, Shape extends z.ZodRawShape>(
    type: Type,
    description: string,
    shape: Shape,
    /** May relate several fields. */
    rule?: <S extends z.ZodObject>(schema: S) => S,
  ): TypedSchema<Type, Base, Shape>;
}

/**
 * Makes schemas for one family of messages, which all have the fields of `base`. In the generated JSON Schema
 * `text_delta` of `Event` is `TextDeltaEvent`.
 */
export const typedSchema =
  <const Base extends z.ZodRawShape>(family: string, base: Base): SchemaMaker<Base> =>
  (type, description, shape, rule = (schema) => schema) =>
    rule(
      z
        .object({ type: z.literal(type) })
        .extend(base)
        .extend(shape),
    ).meta({
      id: definitionName(type, family),
      description,
    });

function definitionName(type: string, family: string): string {
  return type.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()) + family;
}
