import ts from "typescript-6";

const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

/** The declaration as its users see it: without comments and private members, in one form. */
export function printDeclaration(statement: ts.Statement): string {
  const source = statement.getSourceFile();
  const result = ts.transform(statement, [withoutPrivate]);
  const [first = statement] = result.transformed;
  const text = printer.printNode(ts.EmitHint.Unspecified, first, source);
  result.dispose();
  return text.replace(/^export /, "").replace(/^declare /, "");
}

const withoutPrivate: ts.TransformerFactory<ts.Statement> = (context) => (statement) => {
  if (!ts.isClassDeclaration(statement)) {
    return statement;
  }
  const members = statement.members.filter((member) => !isPrivate(member));
  return context.factory.updateClassDeclaration(
    statement,
    statement.modifiers,
    statement.name,
    statement.typeParameters,
    statement.heritageClauses,
    members,
  );
};

function isPrivate(member: ts.ClassElement): boolean {
  return (
    (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
    (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Private) !== 0
  );
}

/** The names that a declaration mentions as types or values. */
export function namesIn(statement: ts.Statement): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node) || ts.isTypeQueryNode(node)) {
      names.add(firstName("typeName" in node ? node.typeName : node.exprName));
    } else if (ts.isExpressionWithTypeArguments(node) && ts.isIdentifier(node.expression)) {
      names.add(node.expression.text);
    } else if (ts.isComputedPropertyName(node) && ts.isIdentifier(node.expression)) {
      names.add(node.expression.text);
    }
    if (!(ts.isClassElement(node) && isPrivate(node))) {
      ts.forEachChild(node, visit);
    }
  };
  visit(statement);
  return names;
}

function firstName(name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : firstName(name.left);
}
