/** {@code flowmon cluster}: all of flowmon on one machine, each service a process of its own. */
@NullMarked
package org.flowmon.deploy.cluster;

import org.jspecify.annotations.NullMarked;
