/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Finds what is visible of the types marked as public interface and has no javadoc. Sources are only parsed. */
final class Undocumented extends TreePathScanner<Void, Boolean> {
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
        if (!marked || (within && !isVisible(type.getModifiers()))) {
            return marked ? null : super.visitClass(type, false);
        }
        require(type.getSimpleName().toString());
        boolean isInterface = type.getKind() == Tree.Kind.INTERFACE || type.getKind() == Tree.Kind.ANNOTATION_TYPE;
        for (Tree member : type.getMembers()) {
            TreePath path = new TreePath(getCurrentPath(), member);
            if (member instanceof ClassTree) {
                scan(member, true);
            } else if (member instanceof MethodTree method
                    && (isInterface || isVisible(method.getModifiers()))
                    && !isOverride(method)
                    && !isCanonical(method, type)) {
                require(path, type.getSimpleName() + "." + method.getName());
            } else if (member instanceof VariableTree field && (isInterface || isVisible(field.getModifiers()))) {
                require(path, type.getSimpleName() + "." + field.getName());
            }
        }
        return null;
    }

    private static boolean isVisible(ModifiersTree modifiers) {
        Set<Modifier> flags = modifiers.getFlags();
        return flags.contains(Modifier.PUBLIC) || flags.contains(Modifier.PROTECTED);
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

    private void require(String name) {
        require(getCurrentPath(), name);
    }

    private void require(TreePath path, String name) {
        if (docs.getDocComment(path) == null) {
            found.add(path.getCompilationUnit().getPackageName() + "." + name);
        }
    }
}
