/** {@code flowmon shell}: queries typed one after the other, or read from a script. */
@NullMarked
package org.flowmon.deploy.shell;

import org.jspecify.annotations.NullMarked;
