/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Finds what javadoc of the public interface does not say: all that is visible has some, a type with methods says what
 * threads may do with it, and a method names the exceptions that it throws itself. Sources are only parsed.
 */
final class Undocumented extends TreePathScanner<Void, Boolean> {
    private static final Pattern THREADS = Pattern.compile("[Tt]hread|[Ii]mmutable|[Ss]tateless");

    private final DocTrees docs;
    private final List<String> found = new ArrayList<>();

    private Undocumented(DocTrees docs) {
        this.docs = docs;
    }

    static List<String> in(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, files, diagnostic -> {}, null, null, files.getJavaFileObjectsFromPaths(sources));
            Undocumented scanner = new Undocumented(DocTrees.instance(task));
            for (CompilationUnitTree unit : task.parse()) {
                scanner.scan(unit, false);
            }
            return scanner.found;
        }
    }

    @Override
    public Void visitClass(ClassTree type, Boolean within) {
        boolean marked = within
                || type.getModifiers().getAnnotations().stream()
                        .anyMatch(annotation ->
                                annotation.getAnnotationType().toString().equals("PublicApi"));
        if (!marked || (within && !isVisible(type.getModifiers(), false))) {
            return marked ? null : super.visitClass(type, false);
        }
        require(type.getSimpleName().toString());
        requireThreads(type);
        boolean isInterface = type.getKind() == Tree.Kind.INTERFACE || type.getKind() == Tree.Kind.ANNOTATION_TYPE;
        for (Tree member : type.getMembers()) {
            TreePath path = new TreePath(getCurrentPath(), member);
            if (member instanceof ClassTree) {
                scan(member, true);
            } else if (member instanceof MethodTree method
                    && isVisible(method.getModifiers(), isInterface)
                    && !isOverride(method)
                    && !isCanonical(method, type)) {
                require(path, type.getSimpleName() + "." + method.getName());
                requireThrows(path, type.getSimpleName() + "." + method.getName(), method);
            } else if (member instanceof VariableTree field && isVisible(field.getModifiers(), isInterface)) {
                require(path, type.getSimpleName() + "." + field.getName());
            }
        }
        return null;
    }

    private static boolean isVisible(ModifiersTree modifiers, boolean ofInterface) {
        Set<Modifier> flags = modifiers.getFlags();
        return flags.contains(Modifier.PUBLIC)
                || flags.contains(Modifier.PROTECTED)
                || (ofInterface && !flags.contains(Modifier.PRIVATE));
    }

    /** Whether a method is the canonical constructor of a record, which the javadoc of the record says all of. */
    private static boolean isCanonical(MethodTree method, ClassTree type) {
        long components = type.getMembers().stream()
                .filter(member -> member instanceof VariableTree field
                        && !field.getModifiers().getFlags().contains(Modifier.STATIC))
                .count();
        return type.getKind() == Tree.Kind.RECORD
                && method.getName().contentEquals("<init>")
                && method.getParameters().size() == components;
    }

    private static boolean isOverride(MethodTree method) {
        return method.getModifiers().getAnnotations().stream()
                .anyMatch(
                        annotation -> annotation.getAnnotationType().toString().equals("Override"));
    }

    /** A value of other values is immutable, and an exception belongs to whoever catches it. */
    private void requireThreads(ClassTree type) {
        boolean isPlain = (type.getKind() != Tree.Kind.CLASS && type.getKind() != Tree.Kind.INTERFACE)
                || type.getSimpleName().toString().endsWith("Exception");
        String doc = docs.getDocComment(getCurrentPath());
        if (!isPlain && doc != null && !THREADS.matcher(doc).find()) {
            found.add(getCurrentPath().getCompilationUnit().getPackageName() + "." + type.getSimpleName()
                    + " does not say what threads may do with it");
        }
    }

    private void requireThrows(TreePath path, String name, MethodTree method) {
        String doc = docs.getDocComment(path);
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitThrow(ThrowTree tree, Void none) {
                if (tree.getExpression() instanceof NewClassTree created
                        && doc != null
                        && !doc.contains("@throws " + created.getIdentifier())) {
                    found.add(path.getCompilationUnit().getPackageName() + "." + name + " throws "
                            + created.getIdentifier() + " and does not say so");
                }
                return super.visitThrow(tree, none);
            }

            @Override
            public Void visitClass(ClassTree inner, Void none) {
                return null;
            }

            @Override
            public Void visitLambdaExpression(LambdaExpressionTree inner, Void none) {
                return null;
            }
        }.scan(method.getBody(), null);
    }

    private void require(String name) {
        require(getCurrentPath(), name);
    }

    private void require(TreePath path, String name) {
        if (docs.getDocComment(path) == null) {
            found.add(path.getCompilationUnit().getPackageName() + "." + name);
        }
    }
}
