/** {@code flowmon bench hostile}: good traffic during an attack. */
package org.flowmon.bench.hostile;
