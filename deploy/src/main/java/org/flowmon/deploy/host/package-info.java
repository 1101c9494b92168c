/** What single addresses did: {@code flowmon host} and {@code flowmon seen}. */
@NullMarked
package org.flowmon.deploy.host;

import org.jspecify.annotations.NullMarked;
