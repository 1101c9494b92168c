/** {@code flowmon status}: how a job and what is around it are. */
@NullMarked
package org.flowmon.deploy.status;

import org.jspecify.annotations.NullMarked;
